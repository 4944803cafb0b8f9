"""SIGTERM, as CI sends it, and SIGHUP, as a closed terminal does, are treated as Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `KeyboardInterrupt` while a command runs."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    # ``nohup`` has made SIGHUP ignored: it stays so.
    numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
