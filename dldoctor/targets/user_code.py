"""Run the user's code, and say where it failed."""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from dldoctor.errors import DldoctorError, TargetError
from dldoctor.finding import SourceRef

T = TypeVar("T")

_TEXT_KEPT = 400


def shown(path: str | os.PathLike[str]) -> str:
    """Return the path as reports print it: relative to the working directory where it lies below it."""
    absolute, here = Path(path).resolve(), Path.cwd().resolve()
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(absolute)


def is_user_file(filename: str) -> bool:
    """Whether a source file is the user's: not the interpreter's, an installed package's, or ours."""
    if not filename or filename.startswith("<"):
        return False
    # Links are not followed: some installers link site-packages to a cache with other folder names.
    path = Path(filename).absolute()
    if "site-packages" in path.parts or "dist-packages" in path.parts:
        return False
    return not any(path.is_relative_to(root) for root in _foreign_roots())


@functools.cache
def _foreign_roots() -> tuple[Path, ...]:
    stdlib = (sysconfig.get_path(key) for key in ("stdlib", "platstdlib"))
    # In a virtual environment sysconfig may name the environment, while the modules lie in the base.
    return (_ours(), Path(os.__file__).absolute().parent, *(Path(p).absolute() for p in stdlib if p))


def _ours() -> Path:
    return Path(__file__).absolute().parent.parent


def innermost_user_frame(traceback: TracebackType | None) -> SourceRef | None:
    """Return the deepest frame that is the user's own code, or else the deepest that is not ours."""
    users: SourceRef | None = None
    others: SourceRef | None = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        symbol = None if code.co_name == "<module>" else code.co_name
        if not code.co_filename.startswith("<"):
            place = SourceRef(shown(code.co_filename), traceback.tb_lineno, symbol)
            if is_user_file(code.co_filename):
                users = place
            elif not Path(code.co_filename).absolute().is_relative_to(_ours()):
                others = place
        traceback = traceback.tb_next
    return users or others


def run_user_code(what: str, call: Callable[[], T]) -> T:
    """Call `call`; whatever the user's code raises becomes one sentence that starts with `what`.

    A keyboard interrupt passes through: it is the user's own wish, not a fault of the target.
    """
    try:
        return call()
    except DldoctorError:
        raise
    except (Exception, SystemExit) as error:
        raise TargetError(describe_failure(what, error)) from error


def describe_failure(what: str, error: BaseException) -> str:
    """Return one sentence: what was done, the exception's type and text, the user's innermost frame."""
    if isinstance(error, SystemExit):
        said = f"ended the process with `sys.exit({error.code!r})`"
    else:
        text = first_line(str(error))
        said = f"raised {type(error).__name__}" + (f": {text}" if text else "")
    place = _place(error)
    return f"{what} {said}" + (f", at {place}" if place else "")


def _place(error: BaseException) -> SourceRef | None:
    # A syntax error has no frame in the file that it is about.
    if isinstance(error, SyntaxError) and error.filename:
        return SourceRef(shown(error.filename), error.lineno)
    return innermost_user_frame(error.__traceback__)


def first_line(text: str) -> str:
    """Return the first line of an exception's text that says something, cut to a bearable length."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    return line if len(line) <= _TEXT_KEPT else line[: _TEXT_KEPT - 1] + "…"
