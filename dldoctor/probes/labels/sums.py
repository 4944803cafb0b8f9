"""Sums over all rows: who speaks, where targets lie, which negative labels there are, what differs in length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.labels import LabelGroup, LengthsApart
from dldoctor.finding import SampleId
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.before_after import batch_lengths_apart, lengths_apart
from dldoctor.probes.labels.facts import share_by_tenth
from dldoctor.probes.labels.markers import Speakers
from dldoctor.probes.labels.own_tokens import Own
from dldoctor.probes.labels.provenance import Source
from dldoctor.probes.labels.tables import FILL
from dldoctor.probes.labels.trace import Trace

APART_KEPT = 20


class RowSums:
    """What is added up, not kept row by row."""

    def __init__(self, speakers: Speakers | None) -> None:
        """Start at nothing."""
        self.negative: Counter[int] = Counter()
        self.turns: dict[str, list[int]] = {}
        self.apart: list[LengthsApart] = []
        self.apart_count = 0
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

    def compare_lengths(
        self, leaves: Mapping[str, Any], samples: Sequence[SampleId], trace: Trace | None,
        group: LabelGroup, source: Source | None, roles: Mapping[str, str],
    ) -> None:  # fmt: skip
        """Note fields of a sample, or of the batch, that belong together and differ in length."""
        if trace is not None and source is not None:
            for sample, one in zip(samples, trace.samples, strict=False):
                if (apart := lengths_apart(one, sample, source, roles)) is not None:
                    self._add_apart(apart)
        if widths := batch_lengths_apart(leaves, group, roles):
            self._add_apart(LengthsApart(samples[0] if samples else None, widths, "batch"))

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

    def _add_apart(self, apart: LengthsApart) -> None:
        self.apart_count += 1
        if len(self.apart) < APART_KEPT:
            self.apart.append(apart)
