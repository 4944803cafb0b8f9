"""What processes print on standard error while something is tried: a worker that ends early says why only there."""

from __future__ import annotations

import contextlib
import os
import sys
from tempfile import TemporaryFile
from typing import IO, Self

KEPT = 1 << 16
LINES = 2
CHARACTERS = 240


class Overheard:
    """Keeps what this process and those that it starts print on standard error, and passes it on at the end."""

    def __init__(self) -> None:
        """Listen from the time it is entered."""
        self._file: IO[bytes] | None = None
        self._real = -1

    def __enter__(self) -> Self:
        """Put a file in the place of standard error, where there is one."""
        with contextlib.suppress(OSError):
            file = TemporaryFile()
            self._real = os.dup(2)
            os.dup2(file.fileno(), 2)
            self._file = file
        return self

    def __exit__(self, *_: object) -> None:
        """Put the real one back."""
        if self._file is None:
            return
        sys.stderr.flush()
        os.dup2(self._real, 2)
        with contextlib.suppress(OSError):
            os.write(2, self._kept())
        os.close(self._real)
        self._file.close()
        self._file = None

    def said(self) -> str:
        """Return why something ended, as it was printed: the last exception, or else the last lines."""
        return reason_in(self._kept().decode(errors="replace"))

    def _kept(self) -> bytes:
        if self._file is None:
            return b""
        size = os.fstat(self._file.fileno()).st_size
        return os.pread(self._file.fileno(), KEPT, max(0, size - KEPT))


def reason_in(printed: str) -> str:
    """Return the exception of the last traceback in a text, without one its last lines."""
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    starts = [at for at, line in enumerate(lines) if line.startswith("Traceback (most recent")]
    after = lines[starts[-1] + 1 :] if starts else []
    raised = next((line for line in after if not line[0].isspace()), None)
    return raised[:CHARACTERS] if raised else " / ".join(line.strip() for line in lines[-LINES:])[:CHARACTERS]
