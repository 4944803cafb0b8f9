"""From the time line of a run to evidence: workers, order, start, storage."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence

from dldoctor.evidence.profile import (
    OrderEvidence,
    ReopenedFile,
    StartEvidence,
    StorageEvidence,
    WorkerTime,
)
from dldoctor.probes.index import sample_id
from dldoctor.probes.profile.attribute import stage_of
from dldoctor.probes.profile.run import Run
from dldoctor.probes.profile.simulate import rate
from dldoctor.probes.profile.timeline import Made, Names
from dldoctor.probes.profile.worker_record import Group
from dldoctor.targets import Pipeline

SLOW_TIMES = 10
SLOW_NS = 20_000_000
ONCE = 0.95
"""Openings of one file for each sample that are one for every sample."""


def groups_of(made: Sequence[Made]) -> list[tuple[Made, Group]]:
    """Return all samples that were read, but for failures and for those of the pilot."""
    return [
        (one, group) for one in made for group in one.record.groups if not group.failed and not group.pilot
    ]


def sample_ns(group: Group) -> int:
    """Return what one sample of a group took."""
    return (group.end_ns - group.start_ns) // max(1, len(group.ids))


def worked_ns(group: Group) -> int:
    """Return what one sample took, without waiting for a core: that is the machine's doing, not the sample's."""
    return sum(entry.own_ns - entry.runqueue_ns for entry in group.spent) // max(1, len(group.ids))


def worked_by_slow(made: Sequence[Made], order: OrderEvidence) -> list[tuple[int, int]]:
    """Return slow items by index, with what they took: without waiting for a core, as they are read again."""
    took: dict[object, int] = {}
    for _, group in groups_of(made):
        for number in group.ids:
            took[number] = max(took.get(number, 0), worked_ns(group))
    return [(one, took[one]) for one in order.slow if isinstance(one, int) and one in took]


def waited_ns(group: Group) -> float:
    """Return for how long one sample of a group was neither on a core nor waiting for one."""
    waited = sum(entry.own_ns - entry.cpu_ns - entry.runqueue_ns for entry in group.spent)
    return max(0, waited) / max(1, len(group.ids))


def made_ns(one: Made) -> int:
    """Return what making a batch took, without waiting for a core."""
    parts = (*(group.spent for group in one.record.groups), one.record.collate)
    return sum(entry.own_ns - entry.runqueue_ns for part in parts for entry in part) + one.send_cpu_ns


def worker_times(made: Sequence[Made]) -> tuple[WorkerTime, ...]:
    """Return what each process did."""
    by_worker: dict[int, list[Made]] = defaultdict(list)
    for one in made:
        by_worker[one.record.worker].append(one)
    span = max(1, max(one.delivered_ns for one in made) - min(one.start_ns for one in made)) if made else 1
    found = []
    for worker, own in sorted(by_worker.items()):
        samples = sum(one.samples for one in own)
        fetched = sum(one.fetched_ns - one.start_ns for one in own)
        busy = sum(one.made_ns for one in own)
        queued = sum(
            entry.runqueue_ns
            for one in own
            for part in (*(group.spent for group in one.record.groups), one.record.collate)
            for entry in part
        )
        wanted, waited, passed = (
            sum(part) for part in zip(*(one.record.cores_wanted for one in own), strict=True)
        )
        found.append(
            WorkerTime(
                worker=worker,
                batches=len(own),
                samples=samples,
                busy_share=min(1.0, busy / span),
                sample_ns=fetched // max(1, samples),
                runqueue_share=waited / wanted if wanted else queued / busy if busy else 0.0,
                threads=wanted / passed if passed else 1.0,
                cores=_cores_used(own),
            )
        )
    return tuple(found)


def _cores_used(own: Sequence[Made]) -> float:
    """Return how many cores a process kept busy from its first batch to its last, all its threads together."""
    first, last = own[0].record, own[-1].record
    passed = last.collate_end_ns - first.collate_end_ns
    return max(0, last.cpu_ns[0] - first.cpu_ns[0]) / passed if passed > 0 else 0.0


def order(made: list[Made], pipeline: Pipeline, names: Names) -> OrderEvidence | None:
    """Return the slow samples and what they cost."""
    # The first batch of each process opens files and warms caches: that is the start's.
    fresh = {one.record.worker: one.number for one in reversed(made)}
    groups = groups_of([one for one in made if fresh[one.record.worker] != one.number])
    if len(groups) < 8:
        return None
    median = statistics.median(worked_ns(group) for _, group in groups)
    slow = [(one, group) for one, group in groups if worked_ns(group) > max(SLOW_TIMES * median, SLOW_NS)]
    slow.sort(key=lambda pair: -worked_ns(pair[1]))
    known = {id(group) for _, group in slow}
    times = [made_ns(one) for one in made]
    without = [
        made_ns(one)
        - sum(
            worked_ns(group) * len(group.ids) - round(median) * len(group.ids)
            for group in one.record.groups
            if id(group) in known
        )
        for one in made
    ]
    spec = pipeline.spec
    prefetch = spec.prefetch_factor or 2
    handling = _handling_ns(made)

    def asked(values: list[int], *, in_order: bool) -> float:
        return rate(values, spec.num_workers, prefetch, handling, in_order=in_order)

    return OrderEvidence(
        median_ns=round(median),
        slow_count=len(slow),
        slow_ns=sum(worked_ns(group) for _, group in slow),
        samples=len(groups),
        rate=asked(times, in_order=spec.in_order),
        rate_any_order=asked(times, in_order=False),
        rate_without_slow=asked(without, in_order=spec.in_order),
        slow=tuple(
            sample_id(pipeline.spec.kind, one.record.worker, group.ids[0]) for one, group in slow[:20]
        ),
        stage=_main_stage(slow, names),
    )


def _handling_ns(made: Sequence[Made]) -> int:
    """Return what the consumer's side does for each batch."""
    spans = [one.received_ns - one.receiving_ns for one in made if one.receiving_ns]
    return round(statistics.median(spans)) if spans else 0


def _main_stage(pairs: Sequence[tuple[Made, Group]], names: Names) -> str:
    sums: dict[str, int] = defaultdict(int)
    for one, group in pairs:
        for entry in group.spent:
            sums[stage_of(names, one.record.worker, entry.key, "other")] += entry.own_ns
    return max(sums, key=sums.__getitem__, default="")


def start(made: list[Made], run: Run, pipeline: Pipeline, gap_ns: int) -> StartEvidence | None:
    """Return what comes before the first batch of an epoch."""
    if not made:
        return None
    first = made[0]
    begin = run.epoch_starts[first.epoch]
    usual = statistics.median(made_ns(one) for one in made)
    took = first.delivered_ns - begin
    workers = max(0, first.start_ns - begin)
    length = pipeline.spec.loader_length
    return StartEvidence(
        first_batch_ns=took,
        workers_ns=workers,
        overhead_ns=workers + max(0, round(made_ns(first) - usual)),
        epoch_ns=None if length is None else took + gap_ns * max(0, length - 1),
        each_epoch=pipeline.spec.num_workers > 0 and not pipeline.spec.persistent_workers,
    )


def storage(made: Sequence[Made], sample_mean_ns: int) -> StorageEvidence:
    """Return bytes, files and what is opened again and again."""
    last: dict[int, tuple[int, int]] = {}
    first: dict[int, tuple[int, int]] = {}
    opened: dict[str, list[int]] = {}
    samples = 0
    for place, one in enumerate(made):
        worker = one.record.worker
        first.setdefault(worker, one.record.read_bytes)
        last[worker] = one.record.read_bytes
        if place < 1:
            continue  # what is opened once is opened at the start
        samples += one.samples
        for entry in one.record.opened:
            count = opened.setdefault(entry.path, [0, 0])
            count[0] += entry.times
            count[1] += entry.elapsed_ns
    groups = groups_of(made)
    again = {path: count for path, count in opened.items() if count[0] > 2 * (len(last) + 1)}
    reopened = _reopened(again, samples, sample_mean_ns) if samples else []
    if sum_of := _in_turn(reopened, len({number for _, group in groups for number in group.ids})):
        reopened.insert(0, sum_of)
    return StorageEvidence(
        device_bytes=sum(last[worker][0] - first[worker][0] for worker in last),
        asked_bytes=sum(last[worker][1] - first[worker][1] for worker in last),
        files_per_sample=sum(group.files for _, group in groups) / max(1, sum(len(g.ids) for _, g in groups)),
        reopened=tuple(reopened[:5]),
    )


def _reopened(opened: dict[str, list[int]], samples: int, sample_mean_ns: int) -> list[ReopenedFile]:
    """Return files with what opening them takes for each sample, the dearest first."""
    found = [
        ReopenedFile(path, times / samples, ns // samples, ns / samples / max(1, sample_mean_ns))
        for path, (times, ns) in opened.items()
    ]
    return sorted(found, key=lambda one: -one.sample_ns)


def _in_turn(files: Sequence[ReopenedFile], items: int) -> ReopenedFile | None:
    """Return the files together, where many samples lie in each and none alone is opened for every sample.

    A file for each sample is opened again as well, in the next epoch; that is how it is meant.
    """
    if len(files) < 2 or 4 * len(files) > items or files[0].opens_per_sample >= ONCE:
        return None
    return ReopenedFile(
        files[0].path,
        sum(one.opens_per_sample for one in files),
        sum(one.sample_ns for one in files),
        sum(one.share for one in files),
        len(files),
    )
