"""Cuts the time that the consumer was blocked by what the batch that it waited for was doing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dldoctor.evidence.profile import Attribution, WaitPart
from dldoctor.probes.profile.run import Run
from dldoctor.probes.profile.spans import Spent
from dldoctor.probes.profile.timeline import Made, Names

UNSEEN = "unseen"
BUSY = "hand-over, worker busy"


class Piece(NamedTuple):
    """A part of one wait."""

    what: str
    ns: float
    cpu_ns: float = 0.0
    runqueue_ns: float = 0.0


def attribution(made: list[Made], run: Run, names: Names, skip: int) -> Attribution | None:
    """Return where the waits after the first `skip` deliveries came from; they sum to all of it."""
    kept = made[skip:]
    if not kept:
        return None
    sums: dict[str, list[float]] = {}
    covered = 0.0
    ordering = 0
    ready = _earliest_later(made)
    for one in kept:
        for piece in pieces(one, run, names):
            entry = sums.setdefault(piece.what, [0.0, 0.0, 0.0])
            entry[0] += piece.ns
            entry[1] += piece.cpu_ns
            entry[2] += piece.runqueue_ns
            covered += piece.ns
        later = ready.get(one.number)
        if later is not None:
            ordering += max(
                0, min(one.delivered_ns, max(one.ready_ns, one.asked_ns)) - max(one.asked_ns, later)
            )
    blocked = sum(one.delivered_ns - one.asked_ns for one in kept)
    total = covered or 1.0
    parts = tuple(
        WaitPart(what, round(ns), ns / total, round(cpu), round(queue), max(0, round(ns - cpu - queue)))
        for what, (ns, cpu, queue) in sorted(sums.items(), key=lambda item: -item[1][0])
    )
    elapsed = kept[-1].delivered_ns - kept[0].asked_ns
    unexplained = sums.get("torch itself", [0.0])[0]
    return Attribution(
        blocked, parts, ordering, elapsed, min(1.0, (covered - unexplained) / blocked) if blocked else 1.0
    )


def pieces(one: Made, run: Run, names: Names) -> Iterator[Piece]:
    """Yield what a batch was doing from the moment it was asked for until it was delivered."""
    at, end = one.asked_ns, one.delivered_ns
    for what, until, cpu in _phases(one):
        if until <= at:
            continue
        stop = min(until, end)
        if what == "samples":
            yield from _samples(one, names, at, stop)
        elif what == "collate":
            yield from _spent(one, names, one.record.collate, at, stop, "collate")
        else:
            used = min(cpu, stop - at)
            if what == "deserialise" and stop - at > used:
                # Each tensor is asked of a thread in the worker, which waits while the next sample computes.
                yield Piece(BUSY, stop - at - used)
                yield Piece(what, used, used)
            else:
                yield Piece(what, stop - at, used)
        at = stop
        if at >= end:
            return
    # What is left is torch's: it asks the sampler for a further batch before it gives this one.
    sampler = sum(
        max(0, min(issue.given_ns, end) - max(issue.asked_ns, at))
        for issue in run.issued[max(0, one.number - 1) : one.number + 600]
        if issue.asked_ns < end
    )
    sampler = min(sampler, end - at)
    if sampler:
        yield Piece("sampler", sampler, sampler)
    if end - at - sampler > 0:
        yield Piece("torch itself", end - at - sampler, end - at - sampler)


def _phases(one: Made) -> list[tuple[str, int, int]]:
    """Return name, end and CPU time of the phases in their order; those that do not exist end at 0."""
    record = one.record
    started = one.issued_ns if one.record.worker < 0 else 0
    return [
        ("sampler", started, started),
        ("waiting for its worker", one.start_ns, 0),
        ("samples", one.fetched_ns, 0),
        ("collate", record.collate_end_ns, 0),
        ("waiting to be sent", one.sending_ns, 0),
        ("serialise", one.sent_ns, one.send_cpu_ns),
        ("queue", one.receiving_ns, 0),
        ("deserialise", one.received_ns, one.receive_cpu_ns),
        ("waiting to be pinned", one.pinning_ns, 0),
        ("pin", one.pinned_ns, 0),
    ]


def _samples(one: Made, names: Names, start: int, stop: int) -> Iterator[Piece]:
    at = start
    for group in one.record.groups:
        if group.end_ns <= at:
            continue
        until = min(group.start_ns, stop)
        if until > at:  # between two samples
            yield Piece(UNSEEN, until - at, until - at)
            at = until
        until = min(group.end_ns, stop)
        if until > at:
            yield from _spent(one, names, group.spent, at, until, "other")
            at = until
    if stop > at:
        yield Piece(UNSEEN, stop - at, stop - at)


def _spent(
    one: Made, names: Names, spent: tuple[Spent, ...], at: int, until: int, default: str
) -> Iterator[Piece]:
    """Share out a part of a span by what the whole of it was spent on."""
    total = sum(entry.own_ns for entry in spent)
    if not total:
        yield Piece(default if default == "collate" else UNSEEN, until - at)
        return
    factor = (until - at) / total
    for entry in spent:
        stage = stage_of(names, one.record.worker, entry.key, default)
        yield Piece(stage, entry.own_ns * factor, entry.cpu_ns * factor, entry.runqueue_ns * factor)


def stage_of(names: Names, worker: int, key: int, default: str) -> str:
    """Return the stage of a key: in a collate what is not of another stage is collating."""
    name = names.of(worker, key)
    if name is None:
        return "collate" if default == "collate" else UNSEEN
    if default == "collate" and name.stage in ("other", "transform"):
        return "collate"
    return name.stage


def _earliest_later(made: list[Made]) -> dict[int, int]:
    """Return for each batch when the first of the later ones was ready."""
    found: dict[int, int] = {}
    earliest: int | None = None
    for one in reversed(made):
        if earliest is not None:
            found[one.number] = earliest
        earliest = one.ready_ns if earliest is None else min(earliest, one.ready_ns)
    return found
