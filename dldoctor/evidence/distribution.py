"""Summaries of many values in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class Tally:
    """How often one value was seen, with samples that show it."""

    value: str
    count: int
    examples: tuple[SampleId, ...] = ()
    """The first few samples with this value."""


@dataclass(frozen=True)
class Extreme:
    """A sample at the end of a distribution."""

    id: SampleId
    value: float


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram: ``low <= value < high`` (the last bar includes `high`)."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Distribution:
    """Exact count, ends and moments; quantiles within 1% of their value.

    `p99` and the quantiles say where most values lie; compare `max` with `p99` for outliers.
    """

    count: int
    min: float
    max: float
    mean: float
    std: float
    p1: float
    p50: float
    p90: float
    p99: float
    histogram: tuple[Bin, ...] = ()
    """At most 20 bars over the range."""
    smallest: tuple[Extreme, ...] = ()
    largest: tuple[Extreme, ...] = ()
    """The samples at the ends, the extreme one first."""
