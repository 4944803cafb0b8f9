"""Exact spans of one thread: which statement is at work, and what its time is spent on.

Each boundary between two statements is one reading of the clock: what passed since the last
boundary is charged to the statement that was at work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from dldoctor.probes.profile import spans
from dldoctor.probes.profile.meter import meter
from dldoctor.probes.profile.spans import Spent


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
    suspend: Callable[[int, Any], Any]
    """A generator hands out a value, which is returned."""
    resume: Callable[[int, Any], Any]
    """A generator goes on with a value, which is returned."""
    begin: Callable[[], int]
    """A sample begins; return the time."""
    end: Callable[[], tuple[int, list[Spent]]]
    """The sample ends; return the time and what was spent; the first entry is what no span covers."""

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
        """Calls, own, total, CPU and run-queue time, one entry a key."""
        self._open = spans.nothing_open()
        _, own, _, cpu, runqueue = self.lists
        clocks = meter(own, cpu, runqueue, self._count_reading)
        self.mark = spans.marking(self, self._open, clocks)
        self.push, self.pop, self.enter, self.leave, self.suspend, self.resume = spans.functions(
            self, self._open, clocks
        )
        self.begin, self.end = spans.samples(self, self._open, clocks)

    def _count_reading(self) -> None:
        self.readings += 1

    def current(self) -> int:
        """Return the statement at work in this thread, or -1."""
        return self._open.stack[-1] if self._open.stack and spans.followed(self._open) else -1

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
