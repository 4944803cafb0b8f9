"""The samples of a run, summed up from the records that travel with the batches."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.samples import FieldPreview, SamplePreview, SamplesEvidence, Substitution
from dldoctor.finding import SampleId, SourceRef, StreamPosition
from dldoctor.intent import Intent
from dldoctor.probes.collect.field import FieldCollector
from dldoctor.probes.collect.own_id import OwnIds
from dldoctor.probes.glance import Glance, leaf_bytes
from dldoctor.probes.record import BatchRecord, SampleRecord
from dldoctor.probes.sketches import DistributionSketch, OffenderSketch, TallySketch

_IDS_KEPT = 5_000_000
"""Indices remembered to count different ones; later ones count as different."""
_SUBSTITUTIONS_KEPT = 50
_FIRST = 3


class SampleCollector:
    """Sums up samples."""

    def __init__(self, kind: str, intent: Intent) -> None:
        """Start; `kind` is the dataset's: ``map`` or ``iterable``."""
        self.kind = kind
        self.fields: dict[str, FieldCollector] = {}
        self.absent: dict[str, OffenderSketch] = {}
        self.structures = TallySketch()
        self.none = OffenderSketch()
        self.bytes = DistributionSketch(keep=5)
        self.times = DistributionSketch()
        self.read = self.failed = self.looked = 0
        self.ids: set[Any] = set()
        self.repeated = 0
        self.own = OwnIds(intent.fields.get("sample_id"))
        ids = (intent.pad_id, intent.bos_id, intent.eos_id)
        self.declared_ids = frozenset(one for one in ids if one is not None)
        self.first: list[SamplePreview] = []
        self.substituted: list[Substitution] = []
        self.substituted_count = 0
        self.modalities = TallySketch()
        self._structure_text: dict[Any, str] = {}
        self._digests: dict[tuple[int, ...], set[int]] = {}
        self._early: list[tuple[SampleId, frozenset[str]]] = []

    def add(self, record: BatchRecord) -> None:
        """Sum up the samples of one batch."""
        for one in record.samples:
            sample_id = self.sample_id(record.worker, one.id)
            if one.glance is None:
                self.failed += 1
            else:
                self._see(sample_id, one, one.glance)
        for asked, got, error, place in record.substitutions:
            self.substituted_count += 1
            if len(self.substituted) < _SUBSTITUTIONS_KEPT:
                where = SourceRef(place[0], place[1] or None, place[2] or None) if place else None
                self.substituted.append(Substitution(asked, got, error, where))
        for raw_id, rows in record.previews:
            if len(self.first) < _FIRST:
                fields = tuple(FieldPreview(*row) for row in rows)
                self.first.append(SamplePreview(self.sample_id(record.worker, raw_id), None, fields))

    def sample_id(self, worker: int, raw: Any) -> SampleId:
        """Return the id under which a sample is reported."""
        if self.kind == "map":
            return raw if isinstance(raw, (int, str)) else str(raw)
        return StreamPosition(max(worker, 0), int(raw))

    def _see(self, sample_id: SampleId, one: SampleRecord, seen: Glance) -> None:
        self.read += 1
        self.looked += one.looks is not None
        if len(self.ids) < _IDS_KEPT:
            before = len(self.ids)
            self.ids.add(sample_id)
            self.repeated += len(self.ids) == before
        self.times.add(one.elapsed_ns, sample_id)
        size = 0
        for position, (path, container, dtype, mode) in enumerate(seen.layout):
            field = self.fields.get(path)
            if field is None:
                field = self._new_field(path)
            shape = seen.shapes[position]
            field.see(sample_id, (container, dtype, mode), shape, seen.values[position])
            found = one.looks[position] if one.looks else None
            if found is not None and seen.values[position] is None:
                field.look(sample_id, found)
            size += leaf_bytes(container, dtype, mode, shape)
        self.bytes.add(float(size), sample_id)
        if one.looks is not None and isinstance(sample_id, int):
            digests = tuple(found.digest for found in one.looks if found is not None and not found.constant)
            if digests and len(self._digests) < 100_000:
                self._digests.setdefault(digests, set()).add(sample_id)
        self.own.see(sample_id, seen)
        self._see_structure(sample_id, seen)

    def _new_field(self, path: str) -> FieldCollector:
        field = self.fields[path] = FieldCollector(path, "sample", self.declared_ids)
        absent = self.absent[path] = OffenderSketch()
        for sample_id, paths in self._early:
            if path not in paths:
                absent.add(sample_id)
        absent.count = self.read - 1
        return field

    def _see_structure(self, sample_id: SampleId, seen: Glance) -> None:
        paths = frozenset(part[0] for part in seen.layout)
        if len(self._early) < 64:
            self._early.append((sample_id, paths))
        if len(paths) < len(self.fields):
            for path, absent in self.absent.items():
                if path not in paths and self.read > self.fields[path].present:
                    absent.add(sample_id)
        if len(seen.layout) == 1 and seen.layout[0][1] == "None" and seen.layout[0][0] == "value":
            self.none.add(sample_id)
            self.structures.add("None", sample_id)
            return
        text = self._structure_text.get(paths)
        if text is None:
            names = ", ".join(part[0] for part in seen.layout[:12])
            text = names + (", ..." if len(seen.layout) > 12 else "")
            self._structure_text[paths] = text
        self.structures.add(text, sample_id)

    def field_evidence(self, batch_paths: frozenset[str]) -> tuple[FieldEvidence, ...]:
        """Return the statistics of each field; `batch_paths` are those of the batches."""
        return tuple(
            field.evidence(self.absent[path], path if path in batch_paths else None)
            for path, field in self.fields.items()
            if not (path == "value" and self.none.count == field.present)
        )

    def evidence(self, *, yielded: int | None, full_epoch: bool) -> SamplesEvidence:
        """Return the samples so far; `yielded` is what the dataset gave in a whole epoch."""
        own_field = self.own.field()
        first = tuple(
            SamplePreview(p.id, self.own.name_of(p.id), p.fields) if own_field else p for p in self.first
        )
        return SamplesEvidence(
            read=self.read,
            failed=self.failed,
            distinct=self.read - self.repeated if self.kind == "map" else self.read,
            own_id_field=own_field,
            structures=self.structures.evidence(),
            none=self.none.evidence(),
            bytes=self.bytes.evidence(),
            first=first,
            substituted=tuple(self.substituted),
            substituted_count=self.substituted_count,
            yielded=yielded if self.kind != "map" else None,
            full_epoch=full_epoch,
            statistics_share=self.looked / self.read if self.read else 1.0,
        )

    def alike(self) -> list[int]:
        """Return indices whose looked-at content equals that of another index (map-style)."""
        return [index for group in self._digests.values() if len(group) > 1 for index in sorted(group)][:64]
