"""The experiments of ``check-workers``: what was compared with what, and how it came out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.workers import Draws, HandlesEvidence, RandomnessEvidence, StartMethodsEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted, duration, size
from dldoctor.report import Report


@dataclass(frozen=True)
class ExperimentRow:
    """One experiment."""

    name: str
    compared: str
    outcome: str


@dataclass(frozen=True)
class DrawRow:
    """One thing that was drawn several times: a field, or the state of a generator."""

    name: str
    varies: str
    workers: str
    epochs: str
    first: str


def experiment_rows(report: Report) -> tuple[ExperimentRow, ...]:
    """Return a row for each experiment that ran."""
    return tuple(
        ExperimentRow(name, clean(what, 200), clean(came, 300)) for name, what, came in _rows(report)
    )


def _rows(report: Report) -> Iterator[tuple[str, str, str]]:
    evidence = report.evidence
    if one := evidence.randomness:
        yield "random numbers", _draws_compared(one), _draws_outcome(one)
    if data := evidence.worker_data:
        compared = f"{counted(data.items, 'item')}, pinned, from {data.workers} workers and from none"
        if data.provoked:
            compared += ", with pauses in shared files"
        yield (
            "same data",
            compared,
            data.failed or ("all equal" if not data.changed else f"{count(data.changed)} differ"),
        )
    if held := evidence.handles:
        yield "held open", f"{counted(held.objects, 'object')}, before and after a first read", _held(held)
    if copies := evidence.copies:
        compared = f"attributes in the main process and in workers, {copies.epochs} epochs"
        yield "epochs", compared, copies.failed or "; ".join(
            f"{one.path}: {'/'.join(one.parent)} there, {'/'.join(one.workers)} in workers" for one in copies.travels[:3]
        ) or "nothing changes between epochs"  # fmt: skip
    if start := evidence.start_methods:
        yield "start methods", f"one worker by each; pickled {size(start.size_bytes)}", _started(start)
    if twice := evidence.reproduction:
        compared = (
            f"{counted(twice.batches, 'batch', 'batches')} of two fresh processes with seed {twice.seed}"
        )
        differ = twice.difference
        yield (
            "reproduction",
            compared,
            twice.failed
            or (
                f"differ from batch {differ.batch} on: {twice.source or 'unknown'}" if differ else "all equal"
            ),
        )
    if resumed := evidence.resume:
        compared = f"what follows batch {resumed.stopped_after}, with and without a stop there"
        yield (
            "resume",
            compared,
            resumed.failed or ("equal" if resumed.expected == resumed.delivered else "differ"),
        )
    if columns := evidence.columns:
        gone = [name for name in columns.in_data if name not in columns.in_signature]
        yield (
            "columns",
            "columns removed, and columns that the collate asked for",
            (
                f"{counted(len(gone), 'column')} removed, {count(len(columns.read_by_collate))} of them asked for"
            ),
        )


def _draws_compared(one: RandomnessEvidence) -> str:
    if not one.indices:
        return f"the first samples of {one.workers} workers ({one.start_method}) in {one.epochs} epochs"
    items = counted(len(one.indices), "item")
    return f"{items}, read {one.reads} times each by {one.workers} workers ({one.start_method}) in {one.epochs} epochs"


def _draws_outcome(one: RandomnessEvidence) -> str:
    if one.failed:
        return one.failed
    varying = [draw for draw in one.draws if draw.source == "field" and draw.by_call > 1]
    if not varying:
        return "items are the same on each read" if one.indices else "no content drawn at random was seen"
    return f"{counted(len(varying), 'field')} drawn at random"


def _held(held: HandlesEvidence) -> str:
    before = sum(one.when == "before" for one in held.handles)
    after = len(held.handles) - before
    parts = [f"{count(before)} open before, {count(after)} opened by the read"]
    parts += [f"{counted(len(held.on_device), 'tensor')} on a device"] if held.on_device else []
    parts += [f"{counted(len(held.threads), 'thread')} running"] if held.threads else []
    return ", ".join(parts)


def _started(start: StartMethodsEvidence) -> str:
    def one(method: str, outcome: str, first_ns: int | None) -> str:
        return f"{method} {outcome}" + (f" ({duration(first_ns)})" if first_ns is not None else "")

    return ", ".join(one(trial.method, trial.outcome, trial.first_batch_ns) for trial in start.trials)


def draw_rows(report: Report) -> tuple[DrawRow, ...]:
    """Return what varied while the same items were read, and how workers and epochs compare."""
    measured = report.evidence.randomness
    draws = measured.draws if measured else ()
    shown = [one for one in draws if (one.source == "field" and one.by_call > 1) or _is_used(one)]
    return tuple(_draw(one) for one in shown)


def _is_used(one: Draws) -> bool:
    return one.source == "generator" and one.by_call > 1


def _draw(one: Draws) -> DrawRow:
    values = f"{count(one.distinct)} of {count(one.drawn)}"
    first = " ".join(one.shown[0][:3]) if one.shown else ""
    return DrawRow(
        name=clean(one.path, 60),
        varies=values,
        workers="the same" if one.across_workers else "differ",
        epochs="the same" if one.across_epochs else "differ",
        first=clean(first, 40),
    )
