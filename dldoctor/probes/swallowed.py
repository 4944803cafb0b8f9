"""Sees the exceptions that the user's ``__getitem__`` swallows while it reads one item."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

from dldoctor.finding import SourceRef
from dldoctor.probes.frames import is_first_party, one_line, shown_path

_QUIET = (StopIteration, GeneratorExit, StopAsyncIteration)
"""How loops and generators end; nothing failed."""


@dataclass(frozen=True)
class ReadTrace:
    """What one read showed."""

    error: str | None
    """The last exception that was raised below ``__getitem__`` and did not come out."""
    where: SourceRef | None
    moved_to: int | None
    """The value of the index argument when ``__getitem__`` returned, if it had changed."""


class _Tracer:
    """Traces the user's own functions only; one read, one tracer."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.error: str | None = None
        self.where: SourceRef | None = None
        self.moved_to: int | None = None
        self.outer: FrameType | None = None
        self.name: str | None = None

    def call(self, frame: FrameType, event: str, _arg: Any) -> Any:
        code = frame.f_code
        if event != "call" or not is_first_party(code.co_filename):
            return None
        frame.f_trace_lines = False
        if self.outer is None and code.co_name == "__getitem__":
            names = code.co_varnames[1 : code.co_argcount]
            if names and frame.f_locals.get(names[0]) == self.index:
                self.outer, self.name = frame, names[0]
        return self.inside

    def inside(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception":
            kind, error, trace = arg
            if not issubclass(kind, _QUIET) and isinstance(error, BaseException):
                self.error = one_line(error)
                self.where = SourceRef(
                    shown_path(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_name
                )
            del trace
        elif event == "return" and frame is self.outer and self.name is not None:
            value = frame.f_locals.get(self.name)
            if isinstance(value, int) and value != self.index:
                self.moved_to = int(value)
        return self.inside


def read_traced(dataset: Any, index: int) -> tuple[Any, ReadTrace]:
    """Read one item under a trace; what the user's code raises comes out."""
    tracer = _Tracer(index)
    before = sys.gettrace()
    sys.settrace(tracer.call)
    try:
        sample = dataset[index]
    finally:
        sys.settrace(before)
        tracer.outer = None
    return sample, ReadTrace(tracer.error, tracer.where, tracer.moved_to)
