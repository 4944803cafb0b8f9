"""Fields that samples of a batch had and that the batch lacks."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.evidence.batches import DroppedField
from dldoctor.finding import SampleId
from dldoctor.probes.glance import Glance
from dldoctor.probes.sketches import OffenderSketch

_FIELDS_KEPT = 500


class DroppedCollector:
    """Compares the top-level names of samples with those of their batch.

    Only where both have names: a collate that turns dicts into tuples renames, it does not drop.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._lost: dict[str, tuple[int, OffenderSketch]] = {}
        self._kept: dict[str, int] = {}

    def add(self, batch: Glance, samples: Sequence[SampleId], seen: Sequence[Glance]) -> None:
        """Compare one batch with the samples that went into it."""
        kept = names_of(batch)
        if not kept:
            return
        for name in kept:
            if name in self._kept or len(self._kept) < _FIELDS_KEPT:
                self._kept[name] = self._kept.get(name, 0) + 1
        lost: dict[str, list[SampleId]] = {}
        # Samples of one layout share the object, which spares a look at the names of each.
        layouts = {id(one.layout): one for one in seen}
        missing = {key: names_of(one) - kept for key, one in layouts.items()}
        for sample, one in zip(samples, seen, strict=False):
            for name in missing[id(one.layout)]:
                lost.setdefault(name, []).append(sample)
        for name, owners in lost.items():
            if name not in self._lost and len(self._lost) >= _FIELDS_KEPT:
                continue
            count, offenders = self._lost.get(name, (0, OffenderSketch()))
            for owner in owners:
                offenders.add(owner)
            self._lost[name] = (count + 1, offenders)

    def evidence(self) -> tuple[DroppedField, ...]:
        """Return the lost fields, those first that other batches carry."""
        found = [
            DroppedField(
                path=name,
                batches=count,
                kept_batches=self._kept.get(name, 0),
                samples=offenders.evidence().samples,
            )
            for name, (count, offenders) in self._lost.items()
        ]
        return tuple(sorted(found, key=lambda field: (field.kept_batches == 0, field.path)))


def names_of(seen: Glance) -> frozenset[str]:
    """Return the top-level names of a mapping; empty for sequences and bare values."""
    names = frozenset(part[0].split(".", 1)[0] for part in seen.layout)
    return frozenset() if any(name.isdigit() or name == "value" for name in names) else names
