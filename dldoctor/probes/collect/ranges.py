"""In what range the pixels of each picture lie, sample by sample."""

from __future__ import annotations

from collections.abc import Iterable

from dldoctor.evidence.samples import PixelRange, RangeKind
from dldoctor.finding import SampleId
from dldoctor.probes.glance import Glance
from dldoctor.probes.normalisations import USUAL
from dldoctor.probes.sketches import OffenderSketch

SIDE = 8
"""A smaller third axis beside colours is no picture."""
STEP = 1 / 255
EDGE = 1e-3
FLOATS = ("float32", "float16", "bfloat16", "float64")


class RangeCollector:
    """Counts the pictures of each field by the range of their values."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[tuple[str, RangeKind], tuple[OffenderSketch, float, float]] = {}

    def see(self, sample: SampleId, path: str, low: float, high: float) -> None:
        """Count one picture with these ends."""
        kind = kind_of(low, high)
        if kind is None:
            return
        samples, least, most = self._found.get((path, kind), (OffenderSketch(), low, high))
        samples.add(sample)
        self._found[path, kind] = (samples, min(least, low), max(most, high))

    def evidence(self) -> tuple[PixelRange, ...]:
        """Return the ranges so far, commonest first."""
        found = [
            PixelRange(path, kind, samples.evidence(), low, high)
            for (path, kind), (samples, low, high) in self._found.items()
        ]
        return tuple(sorted(found, key=lambda one: (one.path, -one.samples.count, one.kind)))


def pictures_in(seen: Glance) -> tuple[int, ...]:
    """Return the leaves that are pictures of three colours in real numbers, by position."""
    return tuple(
        position
        for position, (_, container, dtype, _) in enumerate(seen.layout)
        if dtype in FLOATS and container in ("Tensor", "ndarray") and _coloured(seen.shapes[position])
    )


def _coloured(shape: Iterable[int] | None) -> bool:
    sides = tuple(shape or ())
    if len(sides) != 3:
        return False
    first, last = sides[0] == 3 and min(sides[1:]) >= SIDE, sides[2] == 3 and min(sides[:2]) >= SIDE
    return first or last


def kind_of(low: float, high: float) -> RangeKind | None:
    """Return the range that a picture's ends tell; None for one that any of several could have."""
    if low == high:
        return None
    if low >= 0:
        if high <= 1.001 * STEP:
            return "twice"
        if high <= 1:
            # A dark picture of 0 and 1 is one in bytes as well.
            return None if low in (0, 1) and high == 1 else "unit"
        # A picture in bytes that is darker than this could be one of more than usual brightness.
        return "bytes" if 16 < high <= 255 else None
    if high > 255 and low >= -4:
        return "unscaled"
    if _twice_before_normalising(low, high):
        return "twice-normalised"
    return "signed" if low >= -16 and high <= 16 else None


def _twice_before_normalising(low: float, high: float) -> bool:
    """Whether a usual normalisation, taken back, leaves what dividing by 255 twice does."""
    for _, mean, deviation in USUAL:
        black = [-m / d for m, d in zip(mean, deviation, strict=True)]
        white = [(STEP - m) / d for m, d in zip(mean, deviation, strict=True)]
        if min(black) - EDGE <= low <= min(white) + EDGE and max(black) - EDGE <= high <= max(white) + EDGE:
            return True
    return False
