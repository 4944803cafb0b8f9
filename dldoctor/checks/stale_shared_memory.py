"""DL808 stale-shared-memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import counted
from dldoctor.evidence.memory import Segment
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class StaleSharedMemory(Check):
    """Segments of shared memory stay behind although no process uses them any more.

    ## Why it hurts
    They take memory until the machine restarts, and the free part of `/dev/shm` shrinks with
    every run, until workers die of a bus error.

    ## What to do
    Unlink what you create (`SharedMemory.unlink()`, or a `finally` that removes the file). Of
    earlier runs that were killed, remove the files below `/dev/shm` that the finding names.
    torch's default sharing strategy leaves none; `file_system` can.

    ## When it is wrong
    A segment that is kept on purpose between runs (a cache in `/dev/shm`) is fine; one that was
    there before this run is a note unless it is large. Processes of other users cannot be looked
    into, so theirs may be in use.
    """

    rule = "DL808"
    name = "stale-shared-memory"
    level = Level.WARNING
    by = ("watch-memory",)
    needs = ("memory",)

    max_share: float = 0.02
    """Share of the shared memory that segments of earlier runs may take before it is more than a note."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Tell segments of this run from those that were there before."""
        memory, machine = case.evidence.memory, case.evidence.machine
        assert memory is not None
        ours = [one for one in memory.segments if one.ours]
        others = [one for one in memory.segments if not one.ours]
        if ours:
            yield self._finding(
                ours, "this run left", "Unlink the shared memory that your code creates.", self.level
            )
        if others:
            total = (machine.shm_total_bytes if machine is not None else None) or 0
            large = total > 0 and sum(one.bytes for one in others) > self.max_share * total
            yield self._finding(
                others,
                "earlier runs left",
                "Remove these files below /dev/shm if nothing needs them.",
                self.level if large else Level.INFO,
            )

    def _finding(self, segments: Sequence[Segment], who: str, advice: str, level: Level) -> Finding:
        total = sum(one.bytes for one in segments)
        names = ", ".join(
            one.name + (f" of process {one.owner}" if one.owner else "") for one in segments[:3]
        )
        more = f" and {len(segments) - 3} more" if len(segments) > 3 else ""
        return self.finding(
            f"{who} {counted(len(segments), 'segment')} of shared memory behind ({size(total)}): {names}{more}",
            advice=advice,
            level=level,
            bytes=total,
            segments=[{"name": one.name, "bytes": one.bytes, "owner": one.owner} for one in segments],
        )
