"""Phrases that messages are made of: lists of ids, histograms, places and sizes."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.checks.wording import counted, figure
from dldoctor.evidence.distribution import Tally
from dldoctor.finding import SampleId, SourceRef

OTHERS = "(others)"
"""The tally that stands for all values beyond those that were kept."""


def listed(items: Sequence[object], total: int | None = None, shown: int = 5) -> str:
    """Return ``3, 17 and 41``, or ``3, 17, 41, 42, 43 and 8 more``."""
    total = max(len(items), total or 0)
    head = [str(item) for item in items[:shown]]
    if total > len(head):
        return f"{', '.join(head)} and {total - len(head)} more"
    return head[0] if len(head) == 1 else f"{', '.join(head[:-1])} and {head[-1]}" if head else ""


def samples_named(samples: Sequence[SampleId], total: int | None = None) -> str:
    """Return ``sample 3`` or ``samples 3 and 17``."""
    many = max(len(samples), total or 0) != 1
    return f"sample{'s' if many else ''} {listed(samples, total)}"


def rarest_first(tallies: Sequence[Tally]) -> tuple[Tally, ...]:
    """Return tallies with the rarest value first: it is the one to look at."""
    return tuple(sorted(tallies, key=lambda tally: (tally.value == OTHERS, tally.count)))


def histogram(tallies: Sequence[Tally], noun: str = "sample", empty: str = "a scalar") -> str:
    """Return ``3x8x7 in 1 sample (40), 3x8x8 in 63``, rarest first, at most four values."""
    ordered = rarest_first(tallies)
    parts = []
    for place, tally in enumerate(ordered[:4]):
        number = counted(tally.count, noun) if place == 0 else str(tally.count)
        example = f" ({listed(tally.examples, tally.count, 3)})" if place == 0 and tally.examples else ""
        parts.append(f"{tally.value or empty} in {number}{example}")
    rest = len(ordered) - 4
    return ", ".join(parts) + (f" and {rest} more" if rest > 0 else "")


def tally_facts(tallies: Sequence[Tally]) -> list[dict[str, object]]:
    """Return tallies as JSON values, rarest first."""
    return [
        {"value": tally.value, "count": tally.count, "samples": [str(one) for one in tally.examples]}
        for tally in rarest_first(tallies)
    ]


def place(where: SourceRef | None) -> str:
    """Return `` at data.py:41``, or nothing where the place is not known."""
    if where is None:
        return ""
    return f" at {where.path}" if where.line is None else f" at {where.path}:{where.line}"


def size(count_bytes: int) -> str:
    """Return bytes as ``1.5 GB`` (powers of 1000)."""
    value = float(count_bytes)
    for unit in ("bytes", "kB", "MB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{figure(value)} GB"
