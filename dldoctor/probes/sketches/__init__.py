"""Summaries that workers fill, that travel with batches and that merge: bounded, standard library only."""

from __future__ import annotations

from dldoctor.probes.sketches.distribution import DistributionSketch
from dldoctor.probes.sketches.extremes import Extremes
from dldoctor.probes.sketches.moments import Moments
from dldoctor.probes.sketches.offenders import OffenderSketch
from dldoctor.probes.sketches.quantiles import QuantileSketch
from dldoctor.probes.sketches.reservoir import Reservoir
from dldoctor.probes.sketches.tally import TallySketch

__all__ = [
    "DistributionSketch",
    "Extremes",
    "Moments",
    "OffenderSketch",
    "QuantileSketch",
    "Reservoir",
    "TallySketch",
]
