"""Turns one profiled run into evidence."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace

from dldoctor.cores import cores_allowed
from dldoctor.evidence.profile import BatchTimes, ProfileEvidence, StorageEvidence
from dldoctor.evidence.timing import TimingEvidence
from dldoctor.evidence.trial import Trial
from dldoctor.probes.collect.timing import TimeCollector
from dldoctor.probes.index import sample_id
from dldoctor.probes.profile import collect, reachable, stalls, statements
from dldoctor.probes.profile.attribute import UNSEEN, attribution
from dldoctor.probes.profile.freed import freed
from dldoctor.probes.profile.payload import describe
from dldoctor.probes.profile.repeated import Epoch
from dldoctor.probes.profile.run import Run
from dldoctor.probes.profile.timeline import Made, Names
from dldoctor.probes.sketches import DistributionSketch
from dldoctor.sweep.model import Setting
from dldoctor.targets import Pipeline

TIMELINE_BATCHES = 150
TIMELINE_SAMPLES = 3000
UNTIMED = 0.1
"""Share of a batch's time without a timer from which on it is said why."""


class _Times:
    """Time per sample, as the collector of times asks for it."""

    def __init__(self) -> None:
        self.times = DistributionSketch()


def time_of_batches(pipeline: Pipeline, done: Run) -> TimingEvidence:
    """Return what deliveries alone tell, where nothing came beside them."""
    spec = pipeline.spec
    collector = TimeCollector(spec.num_workers * (spec.prefetch_factor or 2))
    for one in done.deliveries:
        start = done.epoch_starts[one.epoch] if one.number == 0 else one.asked_ns
        collector.add(one.delivered_ns - start, spec.batch_size or 0, 0)
    found = collector.evidence(_Times(), 0, 0, done.deliveries[-1].delivered_ns - done.started_ns)
    return replace(found, collate_p50_ns=None)


@dataclass(frozen=True)
class Result:
    """Turns one run into evidence."""

    pipeline: Pipeline
    done: Run
    made: list[Made]
    names: Names
    cpu_main_ns: int
    """CPU time of the main process during the run."""
    further: tuple[Epoch, ...] = ()
    """Epochs after it, for the rate and for stalls."""

    @property
    def in_flight(self) -> int:
        """How many batches are under way; so many come from a cold window."""
        spec = self.pipeline.spec
        return spec.num_workers * (spec.prefetch_factor or 2) if spec.num_workers else 1

    @property
    def skipped(self) -> int:
        """How many deliveries the means leave out."""
        return min(self.in_flight, max(1, len(self.made) // 4))

    @property
    def steady(self) -> list[Made]:
        """The batches after those."""
        return self.made[self.skipped :] or self.made

    @property
    def sample_ns(self) -> int:
        """Mean time of a sample."""
        groups = collect.groups_of(self.made)
        return round(statistics.mean(collect.sample_ns(group) for _, group in groups)) if groups else 0

    @property
    def storage(self) -> StorageEvidence:
        """What was asked of the system."""
        return collect.storage(self.made, self.sample_ns)

    def timing(self) -> TimingEvidence:
        """Return times as every command gives them, and the statements."""
        collector, reads = TimeCollector(self.in_flight), _Times()
        for one in self.made:
            collate = one.record.collate_end_ns - one.record.collate_start_ns
            start = self.done.epoch_starts[one.epoch] if one.number == 0 else one.asked_ns
            collector.add(one.delivered_ns - start, one.samples, collate)
        for epoch in self.further:
            for one in epoch.made[self.in_flight :]:  # a cold window each
                collector.count(one.delivered_ns - one.asked_ns, one.samples)
        for one, group in collect.groups_of(self.made):
            for raw in group.ids:
                reads.times.add(
                    collect.sample_ns(group), sample_id(self.pipeline.spec.kind, one.record.worker, raw)
                )
        own, cpu = self._costs()
        elapsed = self.made[-1].delivered_ns - self.done.started_ns
        found = collector.evidence(reads, own, cpu, elapsed)
        return replace(
            found,
            stages=statements.statement_times(self.made, self.names),
            slowest=statements.slowest(self.made, self.names, self.pipeline),
        )

    def _costs(self) -> tuple[int, int]:
        last = {one.record.worker: one.record for one in self.made}
        first = {one.record.worker: one.record for one in reversed(self.made)}
        own = sum(record.own_ns for record in last.values())
        cpu = self.cpu_main_ns if -1 not in last else 0
        cpu += sum(record.cpu_ns[0] - (first[w].cpu_ns[0] if w < 0 else 0) for w, record in last.items())
        return own, max(1, cpu - own)

    def profile(self, tried: tuple[Trial, ...] = ()) -> ProfileEvidence:
        """Return where the time went, and what was tried."""
        made, steady = self.made, self.steady
        # The time between deliveries, without what the consumer did.
        gap = round(statistics.mean(one.delivered_ns - one.asked_ns for one in steady))
        timing = statements.statement_times(made, self.names)
        stages = statements.stage_shares(made, self.names)
        spec = self.pipeline.spec
        setting = Setting(spec.num_workers, (spec.prefetch_factor or 2) if spec.num_workers else 0)
        resized = [one.before / max(1, one.after) for part in made for one in part.record.resized]
        return ProfileEvidence(
            batches=len(made),
            samples=sum(one.samples for one in made),
            num_workers=self.pipeline.spec.num_workers,
            batch_ns=round(statistics.mean(one.made_ns for one in steady)),
            gap_ns=gap,
            stages=stages,
            freed=freed(stages, timing, setting, cores_allowed()),
            attribution=attribution(made, self.done, self.names, self.skipped),
            workers=collect.worker_times(made),
            order=collect.order(made, self.pipeline, self.names),
            start=collect.start(made, self.done, self.pipeline, gap),
            stalls=stalls.stalls([(made, self.names), *((one.made, one.names) for one in self.further)]),
            storage=self.storage,
            payload=describe(self.done.batches[0]) if self.done.batches else None,
            decoded_pixels=statistics.median(resized) if resized else 0.0,
            trials=tuple(one for one in tried if one.pairs),
            timeline=self._timeline(),
            unseen=(*self._unseen(), *(f"{one.name} reads: {one.detail}" for one in tried if not one.pairs)),
        )

    def _unseen(self) -> tuple[str, ...]:
        last = {one.record.worker: one.record for one in self.made}
        found: dict[str, None] = {}
        for record in last.values():
            found |= dict.fromkeys(f"{path}: {why}" for path, why in record.unseen)
            for name, count in record.left_alone:
                found[f"{name} is not timed inside: {count:,} steps a sample"] = None
            if record.other_threads:
                found["threads of your own run inside a sample; their time counts as waiting"] = None
        shares = {one.stage: one.share for one in statements.stage_shares(self.made, self.names)}
        if shares.get(UNSEEN, 0.0) >= UNTIMED:
            found |= dict.fromkeys(reachable.untimed(self.pipeline.dataset))
        return tuple(found)[:12]

    def _timeline(self) -> tuple[BatchTimes, ...]:
        zero = self.done.started_ns
        rows, samples = [], 0

        def since(at: int) -> int:
            return max(0, at - zero) if at else 0

        for one in self.made[:TIMELINE_BATCHES]:
            groups = one.record.groups if samples < TIMELINE_SAMPLES else ()
            samples += len(groups)
            rows.append(
                BatchTimes(
                    one.number, one.record.worker, since(one.issued_ns), since(one.start_ns), since(one.fetched_ns),
                    since(one.record.collate_end_ns), since(one.sending_ns), since(one.sent_ns), since(one.receiving_ns),
                    since(one.received_ns), since(one.pinned_ns), since(one.asked_ns), since(one.delivered_ns),
                    tuple((str(g.ids[0] if g.ids else ""), since(g.start_ns), since(g.end_ns)) for g in groups),
                )
            )  # fmt: skip
        return tuple(rows)
