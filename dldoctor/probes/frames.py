"""Which frame of a traceback is the user's own."""

from __future__ import annotations

import os
import sysconfig
import traceback
from types import TracebackType
from typing import Any

from dldoctor.finding import SourceRef

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _foreign_roots() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    roots = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    # A virtual environment keeps the standard library of its base interpreter.
    roots |= {os.path.dirname(os.__file__)}
    real = {os.path.realpath(root) for root in roots}
    return tuple(root.rstrip(os.sep) + os.sep for root in roots | real)


_FOREIGN = _foreign_roots()
_OURS_REALLY = os.path.realpath(_OURS) + os.sep
_known: dict[str, bool] = {}


def is_first_party(filename: str) -> bool:
    """Whether a source file is the user's own: not a library's, not Python's, not ours."""
    known = _known.get(filename)
    if known is None:
        full = os.path.abspath(filename)
        library = full.startswith(_FOREIGN) or f"{os.sep}site-packages{os.sep}" in full
        # What a link leads to is asked last: it looks at every folder of the path.
        known = not (
            filename.startswith("<")
            or library
            or full.startswith(_OURS)
            or os.path.realpath(full).startswith(_OURS_REALLY)
        )
        _known[filename] = known
    return known


def shown_path(filename: str) -> str:
    """Return the path as a report shows it: relative where it lies below the working directory."""
    full = os.path.abspath(filename)
    here = os.getcwd().rstrip(os.sep) + os.sep
    return full.removeprefix(here)


def user_frame(trace: TracebackType | None) -> tuple[SourceRef | None, bool]:
    """Return the user's innermost frame, and whether it is the very frame that raised."""
    found: SourceRef | None = None
    raised_here = False
    for frame, line in traceback.walk_tb(trace):
        code = frame.f_code
        raised_here = is_first_party(code.co_filename)
        if raised_here:
            found = SourceRef(shown_path(code.co_filename), line, code.co_name)
    return found, raised_here


def one_line(error: BaseException) -> str:
    """Return ``Type: text`` on one line, at most 300 characters."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - the user's exception may fail to print itself
        text = "(its text cannot be printed)"
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:300]


def describe_failure(error: BaseException) -> dict[str, Any]:
    """Return an exception of the user's code as plain values."""
    where, raised_here = user_frame(error.__traceback__)
    return {
        "error": one_line(error),
        "kind": type(error).__name__,
        "path": where.path if where else "",
        "line": (where.line or 0) if where else 0,
        "symbol": (where.symbol or "") if where else "",
        "mine": raised_here,
    }
