"""Numbers as people read them. The only place that rounds."""

from __future__ import annotations

import math

WRITTEN_OUT = 1e10
"""From here on a number is told by its exponent: it is a bound of its type, or nobody counts so far."""


def count(value: int) -> str:
    """Return ``12,345``."""
    return f"{value:,}"


def counted(value: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 batch`` or ``2 batches``: the number with the fitting form of its noun."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def number(value: float | None) -> str:
    """Return a value of unknown scale in four significant digits; whole numbers exactly.

    Counts of more than seven digits are grouped: ``75,500,000`` is read at a glance, ``7.55e7`` is not.
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e7:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    if 1e7 <= abs(value) < WRITTEN_OUT:
        return f"{value if value == int(value) else float(f'{value:.4g}'):,.0f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def rate(value: float | None) -> str:
    """Return a rate in three significant digits; a dash where it is not known."""
    return "-" if value is None else number(float(f"{value:.3g}"))


def size(value: float) -> str:
    """Return bytes with a decimal unit: ``1.2 GB``."""
    amount = float(value)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(amount) < 999.5 or unit == "TB":
            break
        amount /= 1000
    return f"{_three_digits(amount)} {unit}"


def duration(nanoseconds: float) -> str:
    """Return a time with the unit that suits it: ``3.4 ms``, ``2 min 5 s``."""
    for unit, scale in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)):
        amount = nanoseconds / scale
        if abs(amount) < (999.5 if unit != "s" else 120):
            return f"{_three_digits(amount)} {unit}"
    minutes, seconds = divmod(round(nanoseconds / 1e9), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def share(value: float) -> str:
    """Return a share (0 to 1) in percent; what is not quite nothing or all says so."""
    if 0 < value < 0.0005:
        return "<0.1%"
    if 0.9995 <= value < 1:
        return ">99.9%"
    return f"{value * 100:.1f}".removesuffix(".0") + "%"


def _three_digits(amount: float) -> str:
    if abs(amount) >= 99.95:
        return f"{amount:.0f}"
    return f"{amount:.1f}".removesuffix(".0") if abs(amount) >= 0.95 else f"{amount:.2g}"
