"""Whether sounds of several rates are as long as their recordings in numbers, or in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dldoctor.evidence.sample_rates import Fate

ROOM = 0.02
"""Share by which a length may be off: frames of a spectrogram are whole, and a tail is dropped."""
STEPS = 2.0
"""And by so many of its own steps."""
FEWEST = 3
"""Different lengths that must be seen, unless all are those of the recordings."""


class Length(NamedTuple):
    """One sound."""

    rate: float
    """At which it was recorded, in Hz."""
    frames: float
    """How many numbers it was then."""
    length: float
    """How many it is now, or how many rows were made of them."""


def fate_of(lengths: Sequence[Length]) -> Fate:
    """Return what became of sounds of at least two rates."""
    if len({one.rate for one in lengths}) < 2 or any(one.length <= 0 for one in lengths):
        return "unknown"
    as_recorded = all(one.length == one.frames for one in lengths)
    if not as_recorded and len({one.length for one in lengths}) < FEWEST:
        return "unknown"  # windows of one length
    kept = _holds(lengths, [one.frames / one.length for one in lengths])
    resampled = _holds(lengths, [one.frames / one.rate / one.length for one in lengths])
    if kept == resampled:
        return "unknown"
    return "kept" if kept else "resampled"


def _holds(lengths: Sequence[Length], ratios: Sequence[float]) -> bool:
    """Whether the ratios are one, up to what rounding does to each length."""
    low = max(ratio * (1 - _room(one)) for ratio, one in zip(ratios, lengths, strict=True))
    high = min(ratio * (1 + _room(one)) for ratio, one in zip(ratios, lengths, strict=True))
    return low <= high


def _room(one: Length) -> float:
    return min(0.5, ROOM + STEPS / one.length)
