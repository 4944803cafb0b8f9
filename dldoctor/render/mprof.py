"""The file that ``mprof plot`` opens: memory over time, workers as children, epochs as functions."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.evidence.memory import MemoryEvidence, ProcessMemory
from dldoctor.report import Report

_MIB = 2**20


def mprof(report: Report) -> str:
    """Return the text of the file; empty where no memory was watched."""
    memory = report.evidence.memory
    if memory is None:
        return ""
    return "\n".join(_lines(report, memory)) + "\n"


def _lines(report: Report, memory: MemoryEvidence) -> Iterator[str]:
    yield f"CMDLINE dldoctor {report.command} {report.target}".replace("\n", " ")
    for process in memory.processes:
        # A child's number starts its line in the plot; lives of one worker are one line.
        head = "MEM" if process.role == "main" else f"CHLD {process.worker}"
        for point in process.series:
            at = memory.started_at_s + point.at_s
            yield f"{head} {point.uss_bytes / _MIB:.6f} {at:.4f}"
    main = memory.main
    if main is not None:
        yield from _epochs(main, memory.started_at_s)


def _epochs(main: ProcessMemory, started: float) -> Iterator[str]:
    for epoch in dict.fromkeys(point.epoch for point in main.series):
        part = [point for point in main.series if point.epoch == epoch]
        first, last = part[0], part[-1]
        yield (
            f"FUNC epoch_{epoch} {first.uss_bytes / _MIB:.4f} {started + first.at_s:.4f}"
            f" {last.uss_bytes / _MIB:.4f} {started + last.at_s:.4f}"
        )
