"""How well a scorer of the user's says that image and text of a sample fit."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class ScoredPair:
    """One sample."""

    sample: SampleId
    score: float
    """Of its image with its own text; higher is closer."""
    others: float
    """Median of its image with texts of other samples."""
    text: str
    """The beginning of its text."""


@dataclass(frozen=True)
class ScoreEvidence:
    """Pairs that were scored, worst first."""

    pairs: int
    unrelated: int = 0
    """Pairs that score no better than the image does with texts of other samples."""
    worst: tuple[ScoredPair, ...] = ()
    median: float | None = None
    """Of all pairs."""
    image: str | None = None
    text: str | None = None
    failed: str | None = None
    """What the scorer raised, or why it could not be asked."""
