"""Exact spans of one thread: which statement is at work, and what its time is spent on.

Each boundary between two statements is one reading of the clock: what passed since the last
boundary is charged to the statement that was at work. Thread time and run-queue wait are read only
where at least `SHORT_NS` passed; shorter spans count as CPU and are taken off the next reading.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dldoctor.probes.profile.clocks import RunQueue

SHORT_NS = 20_000


class Spent(NamedTuple):
    """What one statement spent in one sample (or collate)."""

    key: int
    calls: int
    own_ns: int
    total_ns: int
    cpu_ns: int
    runqueue_ns: int


class Tracer:
    """The spans of this process. `mark`, `push` and the others are closures, because they run often."""

    mark: Callable[[int], None]
    """A statement of the innermost function begins."""
    push: Callable[[int], None]
    """A function begins; the number is its own."""
    pop: Callable[[int], None]
    """That function ends."""
    enter: Callable[[int], None]
    """Something inside the current statement begins; `leave` ends it."""
    leave: Callable[[], None]
    begin: Callable[[], int]
    """A sample begins; return the time."""
    end: Callable[[], tuple[int, list[Spent]]]
    """The sample ends; return the time and what was spent; the first entry is what no span covers."""
    current: Callable[[], int]
    """The statement at work, or -1."""

    def __init__(self) -> None:
        """Start with the one key of time that no statement covers."""
        self.pid = os.getpid()
        self.keys = 1
        self.unresolved: set[int] = set()
        self.resolve: Callable[[int, Any], None] = lambda _key, _frame: None
        self.marks = 0
        """Boundaries so far."""
        self.readings = 0
        """Readings of all clocks; their time is in no span."""
        self.other_threads = 0
        """Boundaries in threads of the user's own, which are not followed."""
        self.lists: list[list[int]] = [[0], [0], [0], [0], [0]]
        _build(self)

    def new_key(self) -> int:
        """Return the number of a further statement."""
        for numbers in self.lists:
            numbers.append(0)
        self.keys += 1
        return self.keys - 1


class Timed:
    """An iterator whose every ``next`` belongs to the ``for`` statement that asks."""

    __slots__ = ("_advance", "_key", "_mark")

    def __init__(self, mark: Callable[[int], None], key: int, iterable: Any) -> None:
        self._advance = iter(iterable).__next__
        self._mark = mark
        self._key = key

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._mark(self._key)
        return self._advance()


def _build(tracer: Tracer) -> None:  # noqa: C901, PLR0915 - closures over one set of variables, for their speed
    calls, own, total, cpu, runqueue = tracer.lists
    stack: list[int] = []
    functions: list[int] = []
    starts: list[int] = []
    touched: list[int] = []
    unresolved = tracer.unresolved
    clock, thread_clock, ident = time.perf_counter_ns, time.thread_time_ns, threading.get_ident
    frame_of = sys._getframe  # noqa: SLF001 - the documented way to the caller's variables
    queue = RunQueue()
    owner = ident()
    pid = tracer.pid
    last = cpu_last = queue_last = assumed = 0

    def charge(now: int) -> None:
        nonlocal last, cpu_last, queue_last, assumed
        passed = now - last
        key = stack[-1]
        if passed < SHORT_NS:
            own[key] += passed
            cpu[key] += passed
            assumed += passed
            last = now
            return
        used, waited = thread_clock(), queue.read()
        after = clock()
        if after - now >= SHORT_NS:
            # The core was lost while reading: that is no cost of reading, and belongs to what was at work.
            used, waited = thread_clock(), queue.read()
            passed = after - last
        own[key] += passed
        on_core = min(max(used - cpu_last - assumed, 0), passed)
        cpu[key] += on_core
        runqueue[key] += min(max(waited - queue_last, 0), passed - on_core)
        cpu_last, queue_last, assumed, last = used, waited, 0, after
        tracer.readings += 1

    def mark(key: int) -> None:
        nonlocal last
        if not stack:
            return
        if ident() != owner:
            tracer.other_threads += 1
            return
        now = clock()
        charge(now)
        left = stack[-1]
        if len(stack) == 1 or left != stack[-2]:  # a function's first moments are its caller's
            total[left] += last - starts[-1]
        stack[-1] = key
        starts[-1] = last
        if not calls[key]:
            touched.append(key)
            if key in unresolved:
                tracer.resolve(key, frame_of(1))
                starts[-1] = last = clock()
        calls[key] += 1

    def push(function: int) -> None:
        if not stack or ident() != owner:
            return
        charge(clock())
        # Until its first statement, a function's time is its caller's.
        stack.append(stack[-1])
        functions.append(function)
        starts.append(last)

    def pop(function: int) -> None:
        if not stack or ident() != owner or function not in functions:
            return
        charge(clock())
        while len(stack) > 1:
            left = stack.pop()
            if left != stack[-1]:
                total[left] += last - starts[-1]
            starts.pop()
            if functions.pop() == function:
                return

    def enter(key: int) -> None:
        if not stack or ident() != owner:
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

    def begin() -> int:
        nonlocal pid, owner, queue, last, cpu_last, queue_last, assumed
        if pid != os.getpid() or owner != ident():
            pid, owner = os.getpid(), ident()
            tracer.pid = pid
            queue.close()
            queue = RunQueue()
        stack[:], functions[:] = [0], [-1]
        calls[0] = 1
        touched[:] = [0]
        assumed = 0
        for _ in range(3):
            before = clock()
            cpu_last, queue_last = thread_clock(), queue.read()
            last = clock()
            if last - before < SHORT_NS:
                break  # else the core was lost in between, and the three do not belong together
        starts[:] = [last]
        return last

    def end() -> tuple[int, list[Spent]]:
        if not stack:
            return clock(), []
        charge(clock())
        while stack:
            left = stack.pop()
            if not stack or left != stack[-1]:
                total[left] += last - starts[-1]
            starts.pop()
        functions.clear()
        spent = [Spent(k, calls[k], own[k], total[k], cpu[k], runqueue[k]) for k in touched]
        for key in touched:
            calls[key] = own[key] = total[key] = cpu[key] = runqueue[key] = 0
        tracer.marks += sum(one.calls for one in spent)
        return last, spent

    tracer.mark, tracer.push, tracer.pop = mark, push, pop
    tracer.enter, tracer.leave, tracer.begin, tracer.end = enter, leave, begin, end
    tracer.current = lambda: stack[-1] if stack and ident() == owner else -1
    tracer.suspend, tracer.resume = suspend, resume  # type: ignore[attr-defined]


NAMES = ("mark", "push", "pop", "each", "suspend", "resume")
"""What rewritten functions call, as ``__dldoctor_<name>__`` among the built-ins."""


def publish(tracer: Tracer) -> None:
    """Let rewritten functions of every module find the tracer without touching their globals."""
    import builtins

    def each(key: int, iterable: Any) -> Any:
        return Timed(tracer.mark, key, iterable)

    for name in NAMES:
        call = each if name == "each" else getattr(tracer, name)
        setattr(builtins, f"__dldoctor_{name}__", call)
