"""What a probe process has at hand: the request, the pipe to the parent, and when to stop."""

from __future__ import annotations

import json
import os
import signal
import time
from types import FrameType
from typing import Any

from dldoctor.child.board import Board, Note
from dldoctor.child.channel import Channel
from dldoctor.child.request import ChildRequest
from dldoctor.intent import Intent, Limits

PROGRESS_EVERY_S = 0.2
SNAPSHOT_SHARE = 0.01
"""Share of the run that intermediate evidence may take; a crash loses what came after the last."""


class Session:
    """One probe's connection to the parent."""

    def __init__(self, request: ChildRequest, channel: Channel, phase: str) -> None:
        """Start the clock of this probe."""
        self.request = request
        self.channel = channel
        self.phase = phase
        self.staging = request.staging
        self.board = Board(os.path.join(request.staging, "board"))
        self.started = time.perf_counter()
        self.stopping = False
        self.prepared: Any = None
        """What this probe made before it was its turn, see `EarlyForks`."""
        self._progress_at = 0.0
        self._snapshot_at = self.started + 0.3

    @property
    def limits(self) -> Limits:
        """How much to look at."""
        return self.request.limits

    @property
    def intent(self) -> Intent:
        """What the user declares."""
        return self.request.intent

    def listen(self) -> None:
        """Let SIGTERM ask the probe to end with what it has."""
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def elapsed_s(self) -> float:
        """Seconds since the probe began."""
        return time.perf_counter() - self.started

    def evidence(self, branch: str, value: Any) -> None:
        """Send a branch of the evidence; the last one sent counts."""
        self.channel.send("evidence", branch=branch, value=value, phase=self.phase)

    def missing(self, branch: str, reason: str) -> None:
        """Say why a branch was not measured."""
        self.channel.send("missing", branch=branch, reason=reason)

    def cut(self, sentence: str) -> None:
        """Say what a limit cut short."""
        self.channel.send("cut", sentence=sentence)

    def progress(self, *, doing: str = "", **numbers: Any) -> None:
        """Tell the parent where the probe stands, a few times a second at most.

        `doing` says what the probe is at, where its own name is not enough.
        """
        now = time.perf_counter()
        if now - self._progress_at >= PROGRESS_EVERY_S:
            self._progress_at = now
            phase = doing or self.phase
            self.channel.send("progress", phase=phase, elapsed_s=now - self.started, **numbers)

    def snapshot_due(self) -> bool:
        """Whether intermediate evidence should be sent now."""
        return time.perf_counter() >= self._snapshot_at

    def snapshot_took(self, seconds: float) -> None:
        """Plan the next intermediate evidence by what the last one cost."""
        self._snapshot_at = time.perf_counter() + max(1.0, seconds / SNAPSHOT_SHARE)

    def note(self, stage: str, sample: object = "") -> None:
        """Write on the board what this process is at."""
        self.board.write(0, Note(os.getpid(), 0, 0, time.monotonic_ns(), stage, str(sample)))

    def leave_note(self, name: str, value: Any) -> None:
        """Leave plain data for a later probe of the same run."""
        path = os.path.join(self.staging, f"note-{name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)

    def add_deadly(self, samples: list[str]) -> None:
        """Note samples at which a process died: later probes must not read them."""
        known = self.read_note("deadly") or []
        self.leave_note("deadly", sorted({*known, *(sample for sample in samples if sample)}))

    def read_note(self, name: str) -> Any:
        """Return what an earlier probe left, or None."""
        try:
            with open(os.path.join(self.staging, f"note-{name}.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None
