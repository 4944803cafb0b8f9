"""Progress on standard error: a live bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from dldoctor.cli.console import console
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.streams import complain
from dldoctor.progress import OnProgress, Progress

PLAIN_EVERY_S: Final = 5.0
"""Least time between two lines where there is no terminal, so that CI logs stay short."""


@contextmanager
def shown(options: OutputGroup, name: str = "") -> Iterator[OnProgress]:
    """Yield the function that shows progress; `name` tells several targets apart."""
    if options.quiet:
        yield lambda _: None
    elif sys.stderr.isatty() and not os.environ.get("CI"):  # some runners lend a terminal that nobody sees
        with _live(no_color=options.no_color, name=name) as update:
            yield update
    else:
        yield PlainLines(complain, name=name).update


class PlainLines:
    """Says a line when the phase changes, and then at most every few seconds."""

    def __init__(
        self, say: Callable[[str], None], *, name: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._name, self._clock = say, name, clock
        self._phase: str | None = None
        self._said_at = 0.0

    def update(self, progress: Progress) -> None:
        """Say where the run stands, unless that was just said."""
        now = self._clock()
        if progress.phase == self._phase and now - self._said_at < PLAIN_EVERY_S:
            return
        if self._phase is not None and now - self._said_at < PLAIN_EVERY_S:
            # A phase that passes at once is not worth a line; the next update says where we are.
            return
        self._phase, self._said_at = progress.phase, now
        self._say(f"{self._name}: {line(progress)}" if self._name else line(progress))


def line(progress: Progress) -> str:
    """Return where a run stands, in one line."""
    parts = [progress.phase]
    if progress.batches or progress.planned:
        planned = f" of {progress.planned}" if progress.planned else ""
        parts.append(f"{progress.batches}{planned} {'batch' if progress.batches == 1 else 'batches'}")
    if progress.batches_per_s:
        parts.append(f"{progress.batches_per_s:.1f} batches/s")
    if progress.failures:
        parts.append(f"{progress.failures} {'failure' if progress.failures == 1 else 'failures'}")
    if progress.left_s is not None:
        parts.append(f"{progress.left_s:.0f} s left")
    return ", ".join(parts)


@contextmanager
def _live(*, no_color: bool, name: str) -> Iterator[OnProgress]:
    """Yield an update function that draws one bar; the bar is gone when the report comes."""
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    def drawn(progress: Progress) -> Table:
        row = Table.grid(padding=(0, 1))
        row.add_row(
            name,
            ProgressBar(
                total=progress.planned, completed=progress.batches, width=24, pulse=not progress.planned
            ),
            line(progress),
        )
        return row

    stderr = console(no_color=no_color, stderr=True)
    # No refresh thread: what starts processes should not have threads of its own.
    with Live(console=stderr, transient=True, auto_refresh=False, redirect_stdout=False) as live:
        yield lambda progress: live.update(drawn(progress), refresh=True)
