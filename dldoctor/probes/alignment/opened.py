"""Notes the files that the user's code opens to read while a sample is made."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dldoctor.foreign import attribute

READERS = (("cv2", "imread"), ("torchvision.io.image", "read_file"), ("torchvision.io", "read_file"))
"""Functions that open files without Python's own `open`."""
IGNORED = (".py", ".pyc", ".so", ".pyi", ".pth", ".zip")
MOST = 64

_OPENED: list[str] = []
_ACTIVE: list[bool] = [False]
_LISTENING: list[bool] = []


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """Gather the paths that are opened meanwhile; use it only in a process made for a probe."""
    if not _LISTENING:
        # An audit hook cannot be removed, which is why only such a process has one.
        _LISTENING.append(True)
        sys.addaudithook(_on_open)
        _wrap_readers()
    _OPENED.clear()
    found: list[str] = []
    _ACTIVE[0] = True
    try:
        yield found
    finally:
        _ACTIVE[0] = False
        found += list(dict.fromkeys(_OPENED))


def _on_open(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and _ACTIVE[0] and args:
        mode = args[1] if len(args) > 1 else None
        if not (isinstance(mode, str) and any(letter in mode for letter in "wax+")):
            _note(args[0])


def _note(path: Any) -> None:
    if not _ACTIVE[0] or len(_OPENED) >= MOST or not isinstance(path, (str, os.PathLike)):
        return
    text = os.fspath(path)
    if (
        isinstance(text, str)
        and not text.endswith(IGNORED)
        and not text.startswith(("/proc/", "/sys/", "/dev/"))
    ):
        _OPENED.append(os.path.abspath(text))


def _wrap_readers() -> None:
    for module, name in READERS:
        owner = sys.modules.get(module)
        original = attribute(owner, name, None)
        if callable(original):
            setattr(owner, name, _noting(original))


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    def read(path: Any, *args: Any, **options: Any) -> Any:
        _note(path)
        return original(path, *args, **options)

    return read
