"""The top of a report: a verdict of one line, and three vitals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.finding import Level
from dldoctor.render.content.memory import VERDICTS
from dldoctor.render.content.verdict import headline, known, scope
from dldoctor.render.numbers import rate, share, size
from dldoctor.report import Report


@dataclass(frozen=True)
class Vital:
    """One thing that one wants to know of any pipeline."""

    name: str
    text: str
    measured: bool = True


def verdict_line(report: Report) -> str:
    """Return what the findings come to, and how much was judged."""
    parts = (f"{_word(report)}: {headline(report)}", known(report), scope(report))
    return "; ".join(part for part in parts if part)


def vitals(report: Report) -> tuple[Vital, ...]:
    """Return data, memory and padding; what was not measured says so in a checkup, elsewhere it is left out."""
    found = tuple(_vitals(report))
    return found if report.command == "checkup" else tuple(one for one in found if one.measured)


def _word(report: Report) -> str:
    worst = report.summary.worst
    if not report.complete:
        return "interrupted"
    if worst in (Level.ERROR, Level.WARNING):
        return "something is wrong"
    if worst is Level.RISK:
        return "something may go wrong"
    return "nothing wrong was found" if any(c.status == "clean" for c in report.checks) else "no verdict"


def _vitals(report: Report) -> Iterator[Vital]:
    yield _data(report)
    yield _memory(report)
    yield _padding(report)


def _data(report: Report) -> Vital:
    sweep, timing = report.evidence.sweep, report.evidence.timing
    if sweep is not None and sweep.wait_share is not None:
        low, high = sweep.wait_low or sweep.wait_share, sweep.wait_high or sweep.wait_share
        return Vital(
            "data wait",
            f"{share(sweep.wait_share)} of a step is spent waiting for data ({share(low)} .. {share(high)})",
        )
    if timing is not None and timing.samples_per_s is not None:
        rates = timing.samples_per_s
        spread = f"{rate(rates.value)} samples/s ({rate(rates.low)} .. {rate(rates.high)})"
        return Vital("capacity", f"{spread}, batches being taken as they come")
    why = "too few batches were timed" if timing is not None else _why(report, "timing")
    return Vital("capacity", f"not measured: {why}", measured=False)


def _memory(report: Report) -> Vital:
    memory, machine = report.evidence.memory, report.evidence.machine
    if memory is None:
        return Vital("memory", f"not measured: {_why(report, 'memory')}", measured=False)
    limit = machine.memory_limit_bytes if machine is not None else 0
    part = f" of {size(limit)} ({share(min(1.0, memory.peak_bytes / limit))})" if limit else ""
    return Vital(
        "memory", f"{size(memory.peak_bytes)}{part} at the peak, all processes; {VERDICTS[memory.verdict]}"
    )


def _padding(report: Report) -> Vital:
    batches = report.evidence.batches
    if batches is None:
        return Vital("padding", f"not measured: {_why(report, 'batches')}", measured=False)
    if batches.padding is None:
        return Vital("padding", "no field of padded tokens was seen", measured=False)
    found = batches.padding
    return Vital(
        "padding", f"{share(found.share)} of token positions ({share(found.low)} .. {share(found.high)})"
    )


def _why(report: Report, branch: str) -> str:
    return report.evidence.missing.get(branch) or f"{report.command} does not look at it"
