"""Keeps what a probe makes up out of the user's files: a dataset may store what it prepared.

Use it only in a process made for a probe: an audit hook cannot be removed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.rebinding import replace_names

WRITERS = (("cv2", "imwrite"), ("torch", "save"))
"""They open files without Python's own `open`."""
WRITING = os.O_WRONLY | os.O_RDWR

_SHUT: list[bool] = [False]
_LISTENING: list[bool] = []


@contextmanager
def no_writing() -> Iterator[None]:
    """Refuse to open files for writing meanwhile, as a read-only disk would."""
    if not _LISTENING:
        _LISTENING.append(True)
        sys.addaudithook(_on_open)
        for module, name in WRITERS:
            owner = sys.modules.get(module)
            original = attribute(owner, name)
            if callable(original):
                guarded = _guarded(f"{module}.{name}", original)
                setattr(owner, name, guarded)
                replace_names(original, guarded)
    before, _SHUT[0] = _SHUT[0], True
    try:
        yield
    finally:
        _SHUT[0] = before


def _on_open(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and _SHUT[0]:
        path, mode, flags = args
        writes = any(one in mode for one in "wax+") if isinstance(mode, str) else flags & WRITING
        if writes and not isinstance(path, int) and not str(path).startswith("/dev/"):
            raise PermissionError(f"{path} is not written while pictures are made up")


def _guarded(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def written(*args: Any, **options: Any) -> Any:
        if _SHUT[0]:
            raise PermissionError(f"{name} writes nothing while pictures are made up")
        return original(*args, **options)

    return written
