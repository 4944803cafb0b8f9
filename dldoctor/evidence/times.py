"""How long the parts of a sample last."""

from __future__ import annotations

from dataclasses import dataclass, field

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class TimeRow:
    """One sample."""

    sample: SampleId
    seconds: dict[str, float] = field(default_factory=dict)
    """Field to how long it lasts, by its rate, or as it states."""
    rate: float | None = None
    """Sampling rate of the sound, in Hz."""
    stamps: str | None = None
    """Field of timestamps."""
    last: float | None = None
    """The last of them, in their own unit."""


@dataclass(frozen=True)
class TimeEvidence:
    """Samples of which at least two parts tell how long they last."""

    rows: tuple[TimeRow, ...] = ()
