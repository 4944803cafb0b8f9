"""What the loader probe has seen so far, and how it is sent."""

from __future__ import annotations

import time
from typing import Any

from dldoctor.child.session import Session
from dldoctor.probes.collect.batches import BatchCollector, rows_of_ready_batch
from dldoctor.probes.collect.failures import FailureCollector
from dldoctor.probes.collect.roles import RoleWatch
from dldoctor.probes.collect.samples import SampleCollector
from dldoctor.probes.collect.timing import TimeCollector
from dldoctor.probes.index import sample_id
from dldoctor.probes.record import BatchRecord, Unpacker
from dldoctor.probes.watch import WatchConfig, watch_of
from dldoctor.targets import Pipeline

LOOKED_AT_FIRST = 16
"""Batches whose values are looked at whatever that costs."""
OWN_SHARE = 0.03
"""Share of the time so far that looking at batches may take after that."""
_NOTED = 64
_EMPTY = 8


class LoaderState:
    """Collectors of one run of a loader."""

    def __init__(
        self, pipeline: Pipeline, session: Session, config: WatchConfig, form: str, planned: int | None
    ) -> None:
        """Start with nothing seen; `planned` is how many batches are to be read."""
        spec = pipeline.spec
        self.config = config
        self.session = session
        self.limit = planned
        self.planned = _fewer(planned, spec.loader_length)
        self.promised = spec.loader_length if not session.limits.ids else None
        self.form = form
        kind = "map" if spec.kind == "map" else "iterable"
        self.samples = SampleCollector(kind, session.intent)
        self.batches = BatchCollector()
        self.failures = FailureCollector()
        self.roles = RoleWatch(session.intent)
        in_flight = spec.num_workers * (spec.prefetch_factor or 2) if spec.num_workers else 1
        self.times = TimeCollector(in_flight)
        self.archives: set[str] = set()
        self.full_epoch = False
        self.yielded: int | None = None
        self.last_sample: Any = ""
        self._ready_made = spec.batch_size is None and pipeline.torch_loader is not None
        self._unpacker = Unpacker()
        self._own_ns = 0
        self._worker_cost: dict[int, tuple[int, int]] = {}
        self._started = time.perf_counter_ns()
        self._cpu_started = time.process_time_ns()
        self._loader_errors: list[dict[str, Any]] = []

    def take(self, batch: Any, packed: bytes | None, elapsed_ns: int) -> None:
        """Sum up one delivery that took `elapsed_ns` to come."""
        start = time.thread_time_ns()
        record = None if packed is None else self._unpacker.unpack(packed)
        if record is None:
            self._take_bare(batch)
        else:
            self._take_recorded(batch, record)
        read = len(record.samples) if record else 0
        if self._ready_made and read == 1 and self.batches.shape is not None:
            read = rows_of_ready_batch(self.batches.shape)
        self.times.add(elapsed_ns, read or _rows(self.batches), record.collate_ns if record else 0)
        watch = watch_of(self.config)
        watch.batches = self.batches.delivered if watch.worker < 0 else watch.batches
        if self.session.snapshot_due() or self.batches.delivered == 1:
            before = time.perf_counter()
            self.send(final=False)
            self.session.snapshot_took(time.perf_counter() - before)
        self._own_ns += time.thread_time_ns() - start
        self._tell_progress()

    def _take_recorded(self, batch: Any, record: BatchRecord) -> None:
        ids = [sample_id(self.samples.kind, record.worker, one.id) for one in record.samples]
        self.samples.add(record, ids)
        self.archives.update(record.archives)
        self._worker_cost[record.worker] = (record.own_ns, record.cpu_ns)
        self.last_sample = ids[-1] if ids else self.last_sample
        for own, one in zip(ids, record.samples, strict=True):
            if one.failure is not None:
                self.failures.add("sample", (own,), one.failure, self.batches.delivered)
        if record.failure is not None:
            self.failures.add("collate", tuple(ids), record.failure, self.batches.delivered)
        if record.failure is not None or any(one.glance is None for one in record.samples):
            self.batches.refuse(record)
            return
        seen = [one.glance for one in record.samples if one.glance is not None]
        self.batches.add(batch, ids, seen, look_at_values=self._may_look())
        self.roles.see(batch, ids)

    def _take_bare(self, batch: Any) -> None:
        self.batches.add(batch, (), (), look_at_values=self._may_look())
        self.roles.see(batch, [])

    def end_epoch(self) -> None:
        """The first epoch came to its end by itself: count what the dataset gave, tails included."""
        self.full_epoch = True
        self.batches.first_epoch = self.batches.delivered
        notes = self.session.board.read()
        workers = [note.samples for slot, note in notes.items() if slot > 0]
        self.yielded = sum(workers) if workers else watch_of(self.config).read

    def loader_error(self, failure: dict[str, Any]) -> None:
        """Keep an exception that came out of ``next``; the sample's own entry replaces it."""
        self._loader_errors.append(failure)

    def _may_look(self) -> bool:
        if self.batches.looked < LOOKED_AT_FIRST:
            return True
        return self._own_ns < OWN_SHARE * (time.perf_counter_ns() - self._started)

    def _tell_progress(self) -> None:
        delivered = self.batches.delivered
        elapsed = self.session.elapsed_s()
        rate = delivered / elapsed if elapsed > 0 else None
        left = (self.planned - delivered) / rate if self.planned is not None and rate else None
        self.session.progress(
            batches=delivered,
            planned=self.planned,
            samples=self.samples.read,
            failures=self.failures.count + len(self._loader_errors),
            left_s=left,
            batches_per_s=rate,
            slowest_batch_s=self.times.slowest_ns / 1e9,
        )

    def send(self, *, final: bool) -> None:
        """Send the evidence so far."""
        if final:
            self.roles.settle()
            self._settle_loader_errors()
        session = self.session
        batch_fields = self.batches.field_evidence()
        paths = frozenset(field.path for field in batch_fields)
        session.evidence("fields", (*self.samples.field_evidence(paths), *batch_fields))
        session.evidence("failures", self.failures.evidence())
        if self.form == "none":
            session.missing("samples", "only the batches of this loader can be seen, not its samples")
        else:
            session.evidence(
                "samples", self.samples.evidence(yielded=self.yielded, full_epoch=self.full_epoch)
            )
        padding = self.roles.padding()
        session.evidence(
            "batches",
            self.batches.evidence(
                planned=self.limit, full_epoch=self.full_epoch, promised=self.promised, padding=padding
            ),
        )
        if self.times.batches:
            own_ns, cpu_ns = self._costs()
            elapsed = time.perf_counter_ns() - self._started
            session.evidence("timing", self.times.evidence(self.samples, own_ns, cpu_ns, elapsed))
        session.channel.send("inferred", roles=self.roles.inferred())

    def _costs(self) -> tuple[int, int]:
        """Return CPU time of ours and of the user's code, all processes together."""
        own = self._own_ns + sum(cost for worker, (cost, _) in self._worker_cost.items())
        cpu = time.process_time_ns() - self._cpu_started
        cpu += sum(used for worker, (_, used) in self._worker_cost.items() if worker >= 0)
        return own, max(0, cpu - own)

    def _settle_loader_errors(self) -> None:
        known = {(one.kind, one.where) for one in self.failures.evidence()}
        places = {(kind, where.path, where.line) for kind, where in known if where is not None}
        for failure in self._loader_errors:
            if (failure["kind"], failure["path"], failure["line"]) not in places:
                self.failures.add("loader", (), failure)
        self._loader_errors = []

    def notes(self) -> dict[str, Any]:
        """Return what the later probes should look at more closely (map-style: indices)."""
        failed = [s for one in self.failures.evidence() if one.stage == "sample" for s in one.samples]
        refused = [one.samples for one in self.failures.evidence() if one.stage == "collate"]
        return {
            "failed": [s for s in failed if isinstance(s, int)][:_NOTED],
            "refused": [[s for s in batch if isinstance(s, int)] for batch in refused][:4],
            "none": [s for s in self.samples.none.evidence().samples if isinstance(s, int)],
            "examples": self._examples(),
            "own_id": self.samples.own.field(),
            "alike": self.samples.alike(),
            "blank": self._blank(),
            "empty": self._empty(),
            "left_out": self._left_out(),
        }

    def _left_out(self) -> list[str]:
        """Return the fields that no batch has under their name."""
        return [one.path for one in self.batches.dropped.evidence() if not one.kept_batches][:_NOTED]

    def _blank(self) -> list[tuple[int, str]]:
        """Return the samples of which a field holds one single value, or no text, where most hold more."""
        found: dict[int, str] = {}
        for path, field in self.samples.fields.items():
            for seen in (field.constant, field.empty):
                if 0 < seen.count <= field.present / 2:
                    for sample in seen.evidence().samples[:_NOTED]:
                        if isinstance(sample, int):
                            found.setdefault(sample, path)
        return sorted(found.items())[:_NOTED]

    def _empty(self) -> dict[str, list[int]]:
        """Return some samples of each field that hold no text in it, or one single value as no picture does."""
        found = {}
        for path, field in self.samples.fields.items():
            lacking = [field.empty.evidence(), field.tokens.evidence()]
            if (one := field.constant.evidence()).count <= field.present / 2:
                lacking.append(one)
            samples = [s for seen in lacking for s in seen.samples if isinstance(s, int)]
            if samples:
                found[path] = list(dict.fromkeys(samples))[:_EMPTY]
        return found

    def _examples(self) -> list[dict[str, Any]]:
        """Return, for each way in which samples differ, an index of each kind."""
        found = []
        for path, field in self.samples.fields.items():
            for what, tally in (("shape", field.shapes), ("dtype", field.dtypes), ("mode", field.modes)):
                ids = [tally.examples_of(value) for value, _ in tally.values()[:4]]
                kinds = [one[0] for one in ids if one and isinstance(one[0], int)]
                if len(kinds) > 1:
                    found.append({"what": what, "path": path, "ids": kinds})
        structures = self.samples.structures
        owners = [structures.examples_of(value)[:1] for value, _ in structures.values()[:4]]
        flat = [one[0] for one in owners if one and isinstance(one[0], int)]
        if len(flat) > 1:
            found.append({"what": "structure", "path": "", "ids": flat})
        return found


def _rows(batches: BatchCollector) -> int:
    return int(str(batches.sizes.values()[0][0])) if batches.sizes.values() else 0


def _fewer(one: int | None, other: int | None) -> int | None:
    known = [value for value in (one, other) if value is not None]
    return min(known) if known else None
