"""Which sample each row of a batch was made of: a collate may sort them."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from dldoctor.probes.provenance.alone import given_alone
from dldoctor.probes.provenance.columns import Column, columns_of
from dldoctor.probes.provenance.tracing import Traced, traced

RICH = 16
"""A field that no other sample has by chance outweighs so many others."""
Leaves = Mapping[str, Any]
Collated = Callable[[list[Any]], Leaves | None]


def sources_of(batch: Leaves, samples: Sequence[Any], collated: Collated) -> list[int | None] | None:
    """Return the position of each row's sample; None where no row tells anything of its sample.

    `samples` are as they were before the collate had them.
    """
    alone = [given_alone(partial(copy.deepcopy, sample), collated) for sample in samples]
    if not any(alone):
        return None
    fields = [traced(column) for column in columns_of(batch, alone) if isinstance(column, Column)]
    return by_votes([one for one in fields if len(one.rows) == len(samples)], len(samples))


def by_votes(fields: Sequence[Traced], rows: int) -> list[int | None] | None:
    """Return the sample that most fields of each row name; what is left open keeps its place if that is free."""
    chosen = list[int | None]()
    for row in range(rows):
        votes: Counter[int] = Counter()
        for one in fields:
            sources = one.rows[row]
            if len(sources) == 1:
                votes[next(iter(sources))] += RICH if one.column.rich else 1
        most = max(votes.values(), default=0)
        best = [sample for sample, count in votes.items() if count == most]
        chosen.append(row if row in best else best[0] if len(best) == 1 else None)
    if not any(one is not None for one in chosen):
        return None
    taken = {one for one in chosen if one is not None}
    return [row if one is None and row not in taken else one for row, one in enumerate(chosen)]
