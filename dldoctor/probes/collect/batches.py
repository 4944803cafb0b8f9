"""The batches of a run, summed up in the consumer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dldoctor.evidence.batches import BatchesEvidence, PaddingEvidence
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.samples import FieldPreview
from dldoctor.finding import SampleId
from dldoctor.foreign import attribute
from dldoctor.probes.collect.agreement import agreement
from dldoctor.probes.collect.dropped import DroppedCollector
from dldoctor.probes.collect.field import FieldCollector
from dldoctor.probes.collect.mixes import MixCollector, is_none
from dldoctor.probes.glance import Glance, glance, leaf_bytes
from dldoctor.probes.look import as_tensor, extent, look, one_thread
from dldoctor.probes.look_rows import look_rows
from dldoctor.probes.preview import preview
from dldoctor.probes.record import BatchRecord
from dldoctor.probes.sketches import DistributionSketch, OffenderSketch, TallySketch


class BatchCollector:
    """Sums up batches."""

    def __init__(self) -> None:
        """Start with none."""
        self.delivered = self.failed = self.spoiled = self.empty = self.looked = 0
        self.first_epoch: int | None = None
        """Batches of the first epoch, once it came to its end; more epochs may follow."""
        self.fields: dict[str, FieldCollector] = {}
        self.sizes, self.containers = TallySketch(), TallySketch()
        self.bytes, self.tensors = DistributionSketch(keep=5), DistributionSketch()
        self.dropped = DroppedCollector()
        self.dropped_samples = OffenderSketch()
        self.mixes = MixCollector()
        self.shape: Glance | None = None
        """Of the last batch; null where it was refused."""
        self.first: tuple[FieldPreview, ...] = ()
        self.agreement: tuple[str, ...] = ()

    def refuse(self, record: BatchRecord) -> None:
        """Count a batch that was not collated, or on which the collate raised."""
        self.delivered += 1
        self.shape = None
        if record.failure is None:
            self.spoiled += 1
            return
        self.failed += 1
        self.mixes.add([one.glance for one in record.samples if one.glance is not None], failed=True)

    def add(
        self, batch: Any, samples: Sequence[SampleId], seen: Sequence[Glance], *, look_at_values: bool
    ) -> None:
        """Sum up one batch; `samples` and `seen` are those that went into it, empty if not known."""
        self.delivered += 1
        shape, leaves = glance(batch)
        self.shape = shape
        rows = rows_of(shape, len(samples))
        self.sizes.add(str(rows), samples[0] if samples else None)
        self.containers.add(type(batch).__name__)
        if rows == 0 or batch is None:
            self.empty += 1
        self._see_fields(shape, leaves, samples, rows, look_at_values=look_at_values)
        if seen:
            self.mixes.add(list(seen), failed=False)
            self.dropped.add(shape, samples, seen)
            if rows < len(samples):
                self._see_dropped_samples(samples, seen, rows)
        if not self.first and rows:
            looks = tuple(look(leaf) for leaf in leaves)
            self.first = tuple(FieldPreview(*row) for row in preview(shape, leaves, looks))
            self.agreement = agreement(shape, list(seen), rows)

    def _see_fields(
        self,
        shape: Glance,
        leaves: list[Any],
        samples: Sequence[SampleId],
        rows: int,
        *,
        look_at_values: bool,
    ) -> None:
        self.looked += look_at_values
        size = tensors = 0
        first = samples[0] if samples else self.delivered - 1
        for position, (path, container, dtype, mode) in enumerate(shape.layout):
            field = self.fields.get(path)
            if field is None:
                field = self.fields[path] = FieldCollector(path, "batch")
            extent = shape.shapes[position]
            held = _bytes_of(leaves[position]) or leaf_bytes(container, dtype, mode, extent)
            field.see((first,), (container, dtype, mode), extent, nbytes=held)
            if shape.values[position] is not None:
                field.see_value(first, container, shape.values[position])
            tensors += _tensors_in(leaves[position])
            size += held
            if shape.values[position] is None:
                with one_thread():
                    _see_values(field, leaves[position], samples, rows, first, in_full=look_at_values)
        self.bytes.add(float(size), first)
        self.tensors.add(float(tensors), first)

    def _see_dropped_samples(self, samples: Sequence[SampleId], seen: Sequence[Glance], rows: int) -> None:
        none = [one for one, what in zip(samples, seen, strict=False) if is_none(what)]
        missing = len(samples) - rows
        if len(none) == missing:
            for sample in none:
                self.dropped_samples.add(sample)
        elif rows > 1:  # one row may hold all samples, packed
            self.dropped_samples.count += missing

    def field_evidence(self) -> tuple[FieldEvidence, ...]:
        """Return the statistics of each field of the batches."""
        return tuple(field.evidence(OffenderSketch(), None) for field in self.fields.values())

    def evidence(
        self, *, planned: int | None, full_epoch: bool, promised: int | None, padding: PaddingEvidence | None
    ) -> BatchesEvidence:
        """Return the batches as seen so far; `promised` is ``len(loader)``."""
        counted = promised is not None and full_epoch
        short = (promised or 0) - (self.delivered if self.first_epoch is None else self.first_epoch)
        return BatchesEvidence(
            delivered=self.delivered,
            planned=planned,
            full_epoch=full_epoch,
            sizes=self.sizes.evidence(),
            container=str(self.containers.values()[0][0]) if self.containers.values() else "",
            bytes=self.bytes.evidence(),
            tensors=self.tensors.evidence(),
            failed=self.failed,
            spoiled=self.spoiled,
            empty=self.empty,
            dropped=self.dropped.evidence(),
            dropped_samples=self.dropped_samples.evidence(),
            mixed=self.mixes.evidence(),
            padding=padding,
            first=self.first,
            agreement=self.agreement,
            fewer_than_length=short if counted and short > 0 else None,
            more_than_length=-short if counted and short < 0 else None,
            statistics_share=self.looked / self.delivered if self.delivered else 1.0,
        )


def rows_of(shape: Glance, expected: int) -> int:
    """Return the rows of a batch: the first extent that most fields share, samples as a hint."""
    extents = [extent[0] for extent in shape.shapes if extent]
    if not extents:
        return 0 if shape.layout and shape.layout[0][1] == "None" else expected
    if expected in extents:
        return expected
    return max(set(extents), key=lambda extent: (extents.count(extent), -extents.index(extent)))


def rows_of_ready_batch(shape: Glance) -> int:
    """Return the rows of what a dataset gave as a batch; 1 where it may as well be a single sample."""
    extents = {extent[0] if extent else None for extent in shape.shapes}
    texts = any(container in ("str", "bytes") for _, container, _, _ in shape.layout)
    rows = extents.pop() if len(extents) == 1 and len(shape.layout) > 1 and not texts else None
    return 1 if rows is None else max(1, rows)


def _see_values(
    field: FieldCollector,
    leaf: Any,
    samples: Sequence[SampleId],
    rows: int,
    first: SampleId,
    *,
    in_full: bool,
) -> None:
    """Look at the values of one field of a batch: its ends at least, its rows where there is time."""
    items = (
        leaf
        if isinstance(leaf, (list, tuple)) and leaf and not isinstance(leaf[0], (int, float, str))
        else None
    )
    parts = [leaf] if items is None else items
    if not in_full:
        ends = [extent(part) for part in parts]
        known = [one for one in ends if one is not None]
        if all(math.isfinite(low) and math.isfinite(high) for low, high in known):
            if known:
                field.extend(min(low for low, _ in known), max(high for _, high in known))
            return
    found = [
        _look_at_part(field, part, samples, rows, first, None if items is None else row)
        for row, part in enumerate(parts)
    ]
    field.checked += any(found)


def _look_at_part(
    field: FieldCollector, part: Any, samples: Sequence[SampleId], rows: int, first: SampleId, row: int | None
) -> bool:
    """Look at a stacked tensor, or at item `row` of a list; return whether there were numbers."""
    tensor = as_tensor(part)
    if tensor is None or tensor.numel() == 0:
        return False
    if row is None and tensor.ndim >= 2 and tensor.shape[0] == len(samples) == rows:
        seen = look_rows(tensor)
        field.merge_look(seen.whole)
        for bad in seen.nonfinite:
            field.nonfinite.add(samples[bad])
        for flat in seen.constant:
            field.add_constant(samples[flat], None)
        return True
    found = look(part)
    if found is None:
        return False
    owner = samples[row] if row is not None and row < len(samples) == rows else first
    field.merge_look(found)
    if found.nan or found.inf:
        field.nonfinite.add(owner)
    if found.constant and row is not None:
        field.add_constant(owner, found.low)
    return True


def _tensors_in(leaf: Any) -> int:
    import torch

    items = leaf if isinstance(leaf, (list, tuple)) else (leaf,)
    return sum(isinstance(item, torch.Tensor) for item in items)


def _bytes_of(leaf: Any) -> int:
    """Return the bytes that a leaf holds; 0 where it does not say."""
    items = leaf if isinstance(leaf, (list, tuple)) else (leaf,)
    return sum(_bytes_of_one(item) for item in items)


def _bytes_of_one(item: Any) -> int:
    try:
        if isinstance(item, (str, bytes)):
            return len(item)
        return int(attribute(item, "nbytes", 0) or 0)
    except Exception:  # noqa: BLE001 - an object of the user's, or a sparse tensor, that does not say
        return 0
