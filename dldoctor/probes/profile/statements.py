"""Stages and statements: means per sample and per batch, and what a batch's time in its process is made of."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from dldoctor.evidence.profile import StageShare
from dldoctor.evidence.timing import SlowSample, StageTime
from dldoctor.probes.collect.intervals import blocks_of, interval_of
from dldoctor.probes.index import sample_id
from dldoctor.probes.profile.attribute import UNSEEN, stage_of
from dldoctor.probes.profile.collect import SLOW_NS, SLOW_TIMES, groups_of, sample_ns, worked_ns
from dldoctor.probes.profile.timeline import Made, Names
from dldoctor.probes.profile.worker_record import KeyName
from dldoctor.targets import Pipeline

STATEMENTS_KEPT = 48
ORDER = (
    "lock",
    "own threads",
    "storage read",
    "decode",
    "tokenise",
    "transform",
    "other",
    UNSEEN,
    "collate",
    "serialise",
    "queue",
    "deserialise",
    "pin",
)
"""How a batch meets the stages, about."""

_NO_NAME = KeyName("", "", 0, "", UNSEEN)


class _Sum:
    """Sums of one statement."""

    def __init__(self) -> None:
        self.calls = self.own = self.total = self.cpu = self.queue = 0

    def add(self, entry: Any) -> None:
        self.calls += entry.calls
        self.own += entry.own_ns
        self.total += entry.total_ns
        self.cpu += entry.cpu_ns
        self.queue += entry.runqueue_ns


def statement_times(made: Sequence[Made], names: Names) -> tuple[StageTime, ...]:
    """Return the statements that take most time, and the phases of the hand-over."""
    groups = groups_of(made)
    samples = sum(len(group.ids) for _, group in groups)
    rows = _rows([(one, group.spent) for one, group in groups], samples, names, "other", "sample")
    rows += _rows([(one, one.record.collate) for one in made], len(made), names, "collate", "batch")
    rows.sort(key=lambda row: -row.own_ns)
    kept = rows[:STATEMENTS_KEPT]
    kept.sort(key=lambda row: (ORDER.index(row.stage) if row.stage in ORDER else 6, -row.own_ns))
    return (*kept, *_phases(made))


def _rows(
    parts: list[tuple[Made, tuple[Any, ...]]], count: int, names: Names, default: str, per: str
) -> list[StageTime]:
    sums: dict[tuple[str, KeyName], _Sum] = defaultdict(_Sum)
    for one, spent in parts:
        worker = one.record.worker
        for entry in spent:
            name = names.of(worker, entry.key) or _NO_NAME
            sums[stage_of(names, worker, entry.key, default), name].add(entry)
    count = max(1, count)
    return [
        StageTime(
            name=name.name or ("collate" if default == "collate" else "not covered by a timer"),
            stage=stage,
            path=name.path,
            line=name.line,
            calls=one.calls / count,
            own_ns=round(one.own / count),
            total_ns=round(one.total / count),
            cpu_ns=round(one.cpu / count),
            runqueue_ns=round(one.queue / count),
            blocked_ns=max(0, round((one.own - one.cpu - one.queue) / count)),
            per=per,
            call=name.text,
        )
        for (stage, name), one in sums.items()
    ]


def _phases(made: Sequence[Made]) -> Iterator[StageTime]:
    """Yield the phases of the hand-over that exist, as means per batch."""
    spans = {
        "serialise": [(one.sent_ns - one.sending_ns, one.send_cpu_ns) for one in made if one.sending_ns],
        "queue": [(max(0, one.receiving_ns - one.sent_ns), 0) for one in made if one.receiving_ns],
        "deserialise": [
            (one.received_ns - one.receiving_ns, one.receive_cpu_ns) for one in made if one.receiving_ns
        ],
        "pin": [(one.pinned_ns - one.pinning_ns, 0) for one in made if one.pinned_ns],
    }
    for name, values in spans.items():
        if not values:
            continue
        wall = round(statistics.mean(span for span, _ in values))
        cpu = min(wall, round(statistics.mean(used for _, used in values)))
        yield StageTime(name, name, "", 0, 1.0, wall, wall, cpu, 0, wall - cpu, "batch")


def stage_shares(made: Sequence[Made], names: Names) -> tuple[StageShare, ...]:
    """Return what the time of a batch in its process is made of, by stage."""
    rows = [_of_batch(one, names) for one in made if not any(group.pilot for group in one.record.groups)]
    if not rows:
        return ()
    medians = [worked_ns(group) for _, group in groups_of(made)]
    limit = max(SLOW_TIMES * statistics.median(medians), SLOW_NS) if medians else 0
    typical = _typical(made, names, limit)
    typical_total = sum(typical.values()) or 1.0
    samples = max(1, sum(one.samples for one in made))
    totals = [sum(part[0] - part[2] for part in row.values()) for row in rows]
    found = []
    for stage in {stage for row in rows for stage in row}:
        parts = [row.get(stage, (0, 0, 0)) for row in rows]
        own, cpu, queue = (sum(part[place] for part in parts) for place in range(3))
        share = (own - queue) / max(1, sum(totals))
        low, high = _interval([part[0] - part[2] for part in parts], totals, share)
        place = _largest(made, names, stage)
        found.append(
            StageShare(
                stage=stage,
                batch_ns=round(own / len(rows)),
                sample_ns=round(own / len(rows) * len(made) / samples),
                share=share,
                low=low,
                high=high,
                cpu_ns=round(cpu / len(rows)),
                runqueue_ns=round(queue / len(rows)),
                blocked_ns=max(0, round((own - cpu - queue) / len(rows))),
                typical_ns=round(typical.get(stage, 0.0)),
                typical_share=typical.get(stage, 0.0) / typical_total,
                path=place.path,
                line=place.line,
                call=place.text,
                name=place.name,
            )
        )
    return tuple(sorted(found, key=lambda one: -one.share))


def _interval(parts: list[int], totals: list[int], share: float) -> tuple[float, float]:
    if len(parts) < 4:
        return 0.0, 1.0
    blocks = blocks_of(len(parts))
    values = [sum(parts[block]) / max(1, sum(totals[block])) for block in blocks]
    mean, low, high = interval_of(values)
    return max(0.0, share - (mean - low)), min(1.0, share + (high - mean))


def _of_batch(one: Made, names: Names) -> dict[str, tuple[int, int, int]]:
    """Return own, CPU and run-queue time of one batch by stage."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    parts = [(group.spent, "other") for group in one.record.groups] + [(one.record.collate, "collate")]
    for spent, default in parts:
        for entry in spent:
            found = sums[stage_of(names, one.record.worker, entry.key, default)]
            for place, value in enumerate((entry.own_ns, entry.cpu_ns, entry.runqueue_ns)):
                found[place] += value
    if one.sending_ns:
        # The feeder thread works beside the next batch and waits for the interpreter: only its CPU time is a cost.
        sums["serialise"] = [one.send_cpu_ns, one.send_cpu_ns, 0]
    return {stage: (own, cpu, queue) for stage, (own, cpu, queue) in sums.items()}


def _typical(made: Sequence[Made], names: Names, limit: float) -> dict[str, float]:
    """Return nanoseconds per sample by stage, slow samples left out."""
    sums: dict[str, float] = defaultdict(float)
    count = 0
    for one, group in groups_of(made):
        if worked_ns(group) <= limit:
            count += len(group.ids)
            for entry in group.spent:
                sums[stage_of(names, one.record.worker, entry.key, "other")] += (
                    entry.own_ns - entry.runqueue_ns
                )
    found = {stage: total / max(1, count) for stage, total in sums.items()}
    samples = max(1, sum(one.samples for one in made))
    for one in made:
        for entry in one.record.collate:
            stage = stage_of(names, one.record.worker, entry.key, "collate")
            found[stage] = found.get(stage, 0.0) + (entry.own_ns - entry.runqueue_ns) / samples
        if one.sending_ns:
            found["serialise"] = found.get("serialise", 0.0) + one.send_cpu_ns / samples
    return found


def _largest(made: Sequence[Made], names: Names, stage: str) -> KeyName:
    """Return the statement with most of a stage's own time."""
    sums: dict[KeyName, int] = defaultdict(int)
    for one in made[:200]:
        parts = [(group.spent, "other") for group in one.record.groups] + [(one.record.collate, "collate")]
        for spent, default in parts:
            for entry in spent:
                name = names.of(one.record.worker, entry.key)
                if name is not None and stage_of(names, one.record.worker, entry.key, default) == stage:
                    sums[name] += entry.own_ns
    return max(sums, key=sums.__getitem__, default=_NO_NAME)


def slowest(made: Sequence[Made], names: Names, pipeline: Pipeline) -> tuple[SlowSample, ...]:
    """Return the ten slowest samples with the statement that took most of each."""
    groups = sorted(groups_of(made), key=lambda pair: -sample_ns(pair[1]))[:10]
    found = []
    for one, group in groups:
        worker = one.record.worker
        entry = max(group.spent, key=lambda entry: entry.own_ns, default=None)
        name = names.of(worker, entry.key) if entry else None
        stage = stage_of(names, worker, entry.key, "other") if entry else "sample"
        place = name or _NO_NAME
        found.append(
            SlowSample(
                sample_id(pipeline.spec.kind, worker, group.ids[0]),
                sample_ns(group),
                stage,
                place.path,
                place.line,
            )
        )
    return tuple(found)
