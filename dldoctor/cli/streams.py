"""Standard output and standard error as they are. A reader that goes away early changes no status."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def write(text: str | bytes) -> None:
    """Write to standard output as it is, with a newline at the end."""
    data = text.encode() if isinstance(text, str) else text
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def complain(message: str) -> None:
    """Print one line to standard error."""
    print(f"dldoctor: {message}", file=sys.stderr, flush=True)


def silence(stream: TextIO) -> None:
    """Point the descriptor of a stream at the null device (``dry-run | head`` keeps its status)."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
