"""How messages put numbers into words."""

from __future__ import annotations

from dldoctor.finding import SampleId, StreamPosition


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 sample`` or ``3 samples``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def figure(value: float, digits: int = 3) -> str:
    """Return a number in so many significant digits, large ones written out: ``33.4``, ``1,790``."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.{digits}g}"


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to none or to all without being it."""
    value = 100.0 * share
    if 0.0 < value < 0.1:
        return "under 0.1%"
    if 99.9 < value < 100.0:
        return "over 99.9%"
    digits = 1 if value < 10.0 or value > 99.0 else 0
    return f"{value:.{digits}f}".removesuffix(".0") + "%"


def at(sample: SampleId) -> str:
    """Return ``index 3``, or the place in a stream."""
    return str(sample) if isinstance(sample, StreamPosition) else f"index {sample}"
