"""Sums over all rows: who speaks, where targets lie, which negative labels there are, what differs in length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.labels import LabelGroup, LengthsApart
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.before_after import batch_lengths_apart, lengths_apart
from dldoctor.probes.labels.bounds_end import bounds_apart
from dldoctor.probes.labels.facts import share_by_tenth
from dldoctor.probes.labels.markers import Speakers
from dldoctor.probes.labels.own_tokens import Own
from dldoctor.probes.labels.provenance import Source
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.tables import FILL

APART_KEPT = 20


class RowSums:
    """What is added up, not kept row by row."""

    def __init__(self, speakers: Speakers | None) -> None:
        """Start at nothing."""
        self.negative: Counter[int] = Counter()
        self.turns: dict[str, list[int]] = {}
        self.apart: list[LengthsApart] = []
        self._apart_at = set[tuple[int, int]]()
        self._speakers = speakers
        self._tenths = [[0, 0] for _ in range(10)]

    def add(self, tables: Aligned, own: Own) -> None:
        """Add the rows of one batch."""
        if tables.labels is not None:
            self._count_negative(tables.labels)
        if tables.targets is None:
            return
        for total, (real, trained) in zip(
            self._tenths, share_by_tenth(tables.targets, own.real), strict=True
        ):
            total[0] += real
            total[1] += trained
        if self._speakers is not None:
            for name, flags in self._speakers.of(tables.ids).items():
                spoken = self.turns.setdefault(name, [0, 0])
                spoken[0] += int((flags & own.real).sum())
                spoken[1] += int((flags & own.real & tables.targets).sum())

    @property
    def apart_count(self) -> int:
        """Samples and batches of which fields differ in length; one with two texts counts once."""
        return len(self._apart_at)

    def compare_lengths(
        self, seen: Seen, group: LabelGroup, source: Source | None, roles: Mapping[str, str], tables: Aligned
    ) -> None:
        """Note fields of a sample, or of the batch, that belong together and differ in length."""
        if seen.trace is not None and source is not None:
            for place, (sample, one) in enumerate(zip(seen.samples, seen.trace.samples, strict=False)):
                if (apart := lengths_apart(one, sample, source, roles)) is not None:
                    self._add_apart(apart, (seen.number, place))
        first = seen.samples[0] if seen.samples else None
        if widths := batch_lengths_apart(seen.leaves, group, roles):
            self._add_apart(LengthsApart(first, widths, "batch"), (seen.number, -1))
        elif ends := bounds_apart(seen.leaves, group, roles, tables):
            self._add_apart(LengthsApart(first, ends, "bounds"), (seen.number, -1))

    def by_position(self) -> tuple[float, ...]:
        """Return the trained share of each tenth of the rows; nothing before the first row."""
        if not any(real for real, _ in self._tenths):
            return ()
        return tuple(round(trained / real, 4) if real else 0.0 for real, trained in self._tenths)

    def _count_negative(self, labels: Any) -> None:
        import torch

        negative = labels[(labels < 0) & (labels != FILL)]
        if negative.numel():
            values, counts = torch.unique(negative, return_counts=True)
            self.negative.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

    def _add_apart(self, apart: LengthsApart, place: tuple[int, int]) -> None:
        if place not in self._apart_at and len(self.apart) < APART_KEPT:
            self.apart.append(apart)
        self._apart_at.add(place)
