"""Which answers of a conversation are trained."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.labels import Marker
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.markers import Speakers, hits


def answer_facts(
    tables: Aligned, speakers: Speakers | None, marker: Marker | None
) -> list[dict[str, Any]] | None:
    """Return, row by row, how many answers there are and which have targets; None where no start is known.

    An answer goes from its start to the next one.
    """
    if speakers is not None:
        starts = speakers.answers(tables.ids)
    elif marker is not None:
        starts = hits(tables.ids, marker.ids)
    else:
        return None
    counts = [int(count) for count in starts.sum(1)]
    found: list[dict[str, Any]] = [{"answers": count} for count in counts]
    if speakers is not None:
        found = [one | {"turns": count} for one, count in zip(found, counts, strict=True)]
    if tables.targets is None:
        return found
    numbers = starts.long().cumsum(1) * tables.targets
    for row, count in enumerate(counts):
        trained = set(numbers[row].unique().tolist()) - {0}
        found[row] |= {"answers_trained": len(trained), "last_answer_trained": count in trained}
    return found
