"""The closures of a `Tracer`: what they do at each boundary between two statements of the followed thread."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from dldoctor.probes.profile.meter import Meter

if TYPE_CHECKING:
    from dldoctor.probes.profile.tracer import Tracer

_ident = threading.get_ident


class Open(NamedTuple):
    """What has begun and not ended in the followed thread, the innermost last; shared by the closures."""

    stack: list[int]
    """Statements, one a function; empty outside of a sample."""
    functions: list[int]
    starts: list[int]
    """When each statement began."""
    touched: list[int]
    """Statements that ran in this sample."""
    owner: list[int]
    """The thread that is followed, as the one entry."""


class Spent(NamedTuple):
    """What one statement spent in one sample (or collate)."""

    key: int
    calls: int
    own_ns: int
    total_ns: int
    cpu_ns: int
    runqueue_ns: int


def nothing_open() -> Open:
    """Return the state before the first sample."""
    return Open([], [], [], [], [_ident()])


def followed(now: Open) -> bool:
    """Whether the calling thread is the one that is followed."""
    return _ident() == now.owner[0]


def marking(tracer: Tracer, now: Open, clocks: Meter) -> Callable[[int], None]:
    """Return `Tracer.mark`."""
    calls, _, total, _, _ = tracer.lists
    stack, _, starts, touched, owner = now
    charge, skip, ident = clocks.charge, clocks.skip, _ident
    unresolved = tracer.unresolved
    frame_of = sys._getframe  # noqa: SLF001 - the documented way to the caller's variables

    def mark(key: int) -> None:
        if not stack:
            return
        if ident() != owner[0]:
            tracer.other_threads += 1
            return
        left = stack[-1]
        at = charge(left)
        if len(stack) == 1 or left != stack[-2]:  # a function's first moments are its caller's
            total[left] += at - starts[-1]
        stack[-1] = key
        starts[-1] = at
        if not calls[key]:
            touched.append(key)
            if key in unresolved:
                unresolved.discard(key)
                tracer.resolve(key, frame_of(1))
                starts[-1] = skip()
        calls[key] += 1

    return mark


class Functions(NamedTuple):
    """`Tracer.push` and its like."""

    push: Callable[[int], None]
    pop: Callable[[int], None]
    enter: Callable[[int], None]
    leave: Callable[[], None]
    suspend: Callable[[int, Any], Any]
    resume: Callable[[int, Any], Any]


def functions(tracer: Tracer, now: Open, clocks: Meter) -> Functions:  # noqa: C901 - closures over one set of variables, for their speed
    """Return what happens where a function begins and ends, and where a generator stands still."""
    calls, _, total, _, _ = tracer.lists
    stack, running, starts, touched, owner = now
    charge, ident = clocks.charge, _ident

    def push(function: int) -> None:
        if not stack or ident() != owner[0]:
            return
        starts.append(charge(stack[-1]))
        # Until its first statement, a function's time is its caller's.
        stack.append(stack[-1])
        running.append(function)

    def pop(function: int) -> None:
        if not stack or ident() != owner[0] or function not in running:
            return
        at = charge(stack[-1])
        while len(stack) > 1:
            left = stack.pop()
            if left != stack[-1]:
                total[left] += at - starts[-1]
            starts.pop()
            if running.pop() == function:
                return

    def enter(key: int) -> None:
        if not stack or ident() != owner[0]:
            return
        push(-2)
        stack[-1] = key
        if not calls[key]:
            touched.append(key)
        calls[key] += 1

    def leave() -> None:
        pop(-2)

    def suspend(function: int, value: Any) -> Any:
        pop(function)
        return value

    def resume(function: int, value: Any) -> Any:
        push(function)
        return value

    return Functions(push, pop, enter, leave, suspend, resume)


class Samples(NamedTuple):
    """`Tracer.begin` and `Tracer.end`."""

    begin: Callable[[], int]
    end: Callable[[], tuple[int, list[Spent]]]


def samples(tracer: Tracer, now: Open, clocks: Meter) -> Samples:
    """Return what happens where a sample begins and ends."""
    calls, own, total, cpu, runqueue = tracer.lists
    stack, running, starts, touched, owner = now

    def begin() -> int:
        other = tracer.pid != os.getpid() or owner[0] != _ident()
        tracer.pid, owner[0] = os.getpid(), _ident()
        stack[:], running[:], touched[:] = [0], [-1], [0]
        calls[0] = 1
        starts[:] = [clocks.restart(other)]
        return starts[0]

    def end() -> tuple[int, list[Spent]]:
        if not stack:
            return time.perf_counter_ns(), []
        at = clocks.charge(stack[-1])
        while stack:
            left = stack.pop()
            if not stack or left != stack[-1]:
                total[left] += at - starts[-1]
            starts.pop()
        running.clear()
        spent = [Spent(k, calls[k], own[k], total[k], cpu[k], runqueue[k]) for k in touched]
        for key in touched:
            calls[key] = own[key] = total[key] = cpu[key] = runqueue[key] = 0
        tracer.marks += sum(one.calls for one in spent)
        return at, spent

    return Samples(begin, end)
