"""The samples of a run, summed up from the records that travel with the batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.samples import (
    FieldPreview,
    OverwrittenField,
    SamplePreview,
    SamplesEvidence,
    Substitution,
)
from dldoctor.finding import SampleId, SourceRef
from dldoctor.intent import Intent
from dldoctor.probes.collect.alike import Alike
from dldoctor.probes.collect.field import FieldCollector
from dldoctor.probes.collect.modalities import combination
from dldoctor.probes.collect.own_id import OwnIds
from dldoctor.probes.collect.ranges import RangeCollector
from dldoctor.probes.glance import Glance
from dldoctor.probes.index import sample_id
from dldoctor.probes.look import Look
from dldoctor.probes.overwritten import Overwritten
from dldoctor.probes.record import BatchRecord, SampleRecord
from dldoctor.probes.sketches import DistributionSketch, OffenderSketch, TallySketch

_IDS_KEPT = 5_000_000
"""Indices remembered to count different ones; later ones count as different."""
_SUBSTITUTIONS_KEPT = 50
_FIRST = 3
_BUFFER = 512
_ALIKE_KEPT = 4096
_DIGESTS_KEPT = 100_000


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
        self.overwritten: dict[str, OverwrittenField] = {}
        self.ranges = RangeCollector()
        self.modalities = TallySketch()
        self._digests: dict[tuple[int, ...], set[int]] = {}
        self._alike: dict[tuple[int, tuple[Any, ...]], Alike] = {}
        self._times: list[int] = []
        self._timed: list[SampleId] = []
        self._early: tuple[SampleId, ...] = ()

    def add(self, record: BatchRecord, ids: Sequence[SampleId]) -> None:
        """Sum up the samples of one batch; `ids` are those under which they are reported."""
        for own, one in zip(ids, record.samples, strict=True):
            if one.glance is None:
                self.failed += 1
            else:
                self._see(own, one, one.glance)
        for asked, got, error, place in record.substitutions:
            self.substituted_count += 1
            if len(self.substituted) < _SUBSTITUTIONS_KEPT:
                where = SourceRef(place[0], place[1] or None, place[2] or None) if place else None
                self.substituted.append(Substitution(asked, got, error, where))
        for seen in record.overwritten:
            self._see_overwritten(seen, record.worker)
        for raw_id, rows in record.previews:
            if len(self.first) < _FIRST:
                fields = tuple(FieldPreview(*row) for row in rows)
                self.first.append(SamplePreview(sample_id(self.kind, record.worker, raw_id), None, fields))

    def _see_overwritten(self, seen: Overwritten, worker: int) -> None:
        before = self.overwritten.get(seen.path) or OverwrittenField(seen.path, 0, Offenders(), 0, 0)
        changed = OffenderSketch()
        changed.add_many(before.changed.count, before.changed.samples)
        changed.add_many(len(seen.changed), [sample_id(self.kind, worker, one) for one in seen.changed])
        self.overwritten[seen.path] = OverwrittenField(
            path=seen.path,
            compared=before.compared + seen.compared,
            changed=changed.evidence(),
            contents=before.contents + seen.contents,
            contents_left=before.contents_left + seen.contents_left,
        )

    def _see(self, sample_id: SampleId, one: SampleRecord, seen: Glance) -> None:
        """The path that every sample takes: what is alike is only counted, and summed up later."""
        self._count(sample_id, one.elapsed_ns)
        look_alikes = self._alike.get((id(seen.layout), seen.shapes))
        if look_alikes is None:
            look_alikes = self._new_alike(seen)
        look_alikes.add(sample_id)
        for position in look_alikes.scalars:
            value = seen.values[position]
            if value is not None:
                path, container, _, _ = seen.layout[position]
                self.fields[path].see_value(sample_id, container, value)
        if blank := [at for at, _ in look_alikes.held if (ends := _ends_of(one, at)) and ends[0] == ends[1]]:
            look_alikes.add_blank(sample_id)
            self.modalities.add(combination(look_alikes.held, frozenset(blank)), sample_id)
        for position in look_alikes.pictures:
            self._see_range(sample_id, seen.layout[position][0], _ends_of(one, position))
        if one.looks is not None:
            self._see_looks(sample_id, seen, one.looks)
        elif one.ends is not None:
            for part, ends in zip(seen.layout, one.ends, strict=True):
                if ends is not None:
                    self.fields[part[0]].extend(*ends)
        self.own.see(sample_id, seen)

    def _count(self, sample_id: SampleId, elapsed_ns: int) -> None:
        self.read += 1
        if len(self.ids) < _IDS_KEPT:
            before = len(self.ids)
            self.ids.add(sample_id)
            self.repeated += len(self.ids) == before
        self._times.append(elapsed_ns)
        self._timed.append(sample_id)
        if len(self._times) >= _BUFFER:
            self._flush_times()

    def _see_range(self, sample_id: SampleId, path: str, ends: tuple[float, float] | None) -> None:
        if ends is not None:
            self.ranges.see(sample_id, path, *ends)

    def _new_alike(self, seen: Glance) -> Alike:
        if len(self._alike) >= _ALIKE_KEPT:
            self.flush()
        for path, _, _, _ in seen.layout:
            if path not in self.fields:
                self.flush()  # what was read so far lacks this field
                self.fields[path] = FieldCollector(path, "sample", self.declared_ids)
                self.absent[path] = OffenderSketch()
                self.absent[path].add_many(self.read - 1, self._early)
        found = self._alike[(id(seen.layout), seen.shapes)] = Alike(seen)
        return found

    def _see_looks(self, sample_id: SampleId, seen: Glance, looks: tuple[Look | None, ...]) -> None:
        self.looked += 1
        for position, (path, _, _, _) in enumerate(seen.layout):
            found = looks[position]
            if found is not None and seen.values[position] is None:
                self.fields[path].look(sample_id, found)
        digests = tuple(found.digest for found in looks if found is not None and not found.constant)
        if isinstance(sample_id, int) and digests and len(self._digests) < _DIGESTS_KEPT:
            self._digests.setdefault(digests, set()).add(sample_id)

    def flush(self) -> None:
        """Sum up what was only counted."""
        self._flush_times()
        waiting, self._alike = self._alike, {}
        for one in waiting.values():
            for position, (path, container, dtype, mode) in enumerate(one.layout):
                self.fields[path].see(one.ids, (container, dtype, mode), one.shapes[position], one.count)
            self.bytes.add_many(float(one.nbytes), one.count, one.ids)
            missing = self.fields.keys() - one.paths
            for path in missing:
                self.absent[path].add_many(one.count, one.ids)
            if one.is_none:
                self.none.add_many(one.count, one.ids)
            elif one.count > one.blanks:
                whole = [sample for sample in one.ids if sample not in one.blank_ids]
                self.modalities.add_many(combination(one.held, frozenset()), one.count - one.blanks, whole)
            self.structures.add_many(one.structure, one.count, one.ids)
            self._early = (*self._early, *one.ids)[:20]

    def _flush_times(self) -> None:
        self.times.add_all(self._times, self._timed)
        self._times, self._timed = [], []

    def field_evidence(self, batch_paths: frozenset[str]) -> tuple[FieldEvidence, ...]:
        """Return the statistics of each field; `batch_paths` are those of the batches."""
        self.flush()
        return tuple(
            field.evidence(self.absent[path], path if path in batch_paths else None)
            for path, field in self.fields.items()
            if not (path == "value" and self.none.count == field.present)
        )

    def evidence(self, *, yielded: int | None, full_epoch: bool) -> SamplesEvidence:
        """Return the samples so far; `yielded` is what the dataset gave in a whole epoch."""
        self.flush()
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
            overwritten=tuple(self.overwritten.values()),
            ranges=self.ranges.evidence(),
            modalities=self.modalities.evidence(),
            yielded=yielded if self.kind != "map" else None,
            full_epoch=full_epoch,
            statistics_share=self.looked / self.read if self.read else 1.0,
        )

    def alike(self) -> list[int]:
        """Return indices whose looked-at content equals that of another index (map-style)."""
        return [index for group in self._digests.values() if len(group) > 1 for index in sorted(group)][:64]


def _ends_of(one: SampleRecord, position: int) -> tuple[float, float] | None:
    """Return least and greatest finite element of a leaf, where they are known."""
    if one.looks is None:
        return one.ends[position] if one.ends is not None else None
    found = one.looks[position]
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)
