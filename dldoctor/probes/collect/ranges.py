"""In what range the pixels of each picture lie, sample by sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dldoctor.evidence.samples import PixelRange, RangeKind
from dldoctor.finding import SampleId
from dldoctor.probes.glance import Glance
from dldoctor.probes.normalisations import ONCE, SCALED_TWICE, TWICE
from dldoctor.probes.sketches import OffenderSketch

SIDE = 8
"""A smaller third axis beside colours is no picture."""
STEP = 1 / 255
EDGE = 1e-3
NEAR = 2e-3
"""How close to an end, as a share of it, numbers of half precision come."""
DARK = 0.15
"""Most pictures on a scale up to 1 have something as dark as this in them."""
DEEP = -0.5
"""And most pictures around 0 have something darker than this."""
LEAST = 8
SHARE = 0.1
"""Pictures, and share of all, that a scale of its own has at least."""
BETWEEN = 0.05
"""Of the dark pictures up to 1: so few lie between them and those around 0 where these have a scale of their own."""
FLOATS = ("float32", "float16", "bfloat16", "float64")


class RangeCollector:
    """Counts the pictures of each field by the range of their values."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[tuple[str, RangeKind], tuple[OffenderSketch, float, float]] = {}
        self._depths: dict[str, Counter[str]] = {}
        self._full: dict[str, OffenderSketch] = {}
        """From 0 to 1, both met: up to 1 beside pictures that are normalised, and of no known scale otherwise."""

    def see(self, sample: SampleId, path: str, low: float, high: float) -> None:
        """Count one picture with these ends."""
        kind = kind_of(low, high)
        if kind is None:
            if (low, high) == (0, 1):
                self._full.setdefault(path, OffenderSketch()).add(sample)
                self._depths.setdefault(path, Counter())["dark"] += 1
            return
        self._depths.setdefault(path, Counter())[_depth_of(kind, low)] += 1
        samples, least, most = self._found.get((path, kind), (OffenderSketch(), low, high))
        samples.add(sample)
        self._found[path, kind] = (samples, min(least, low), max(most, high))

    def evidence(self) -> tuple[PixelRange, ...]:
        """Return the ranges so far, commonest first."""
        found = [
            PixelRange(path, self._settled(path, kind, low, high), samples.evidence(), low, high)
            for (path, kind), (samples, low, high) in self._found.items()
        ]
        for path in {one.path for one in found if one.kind == "normalised"} & self._full.keys():
            found = self._with_full(path, found)
        return tuple(sorted(found, key=lambda one: (one.path, -one.samples.count, one.kind)))

    def _with_full(self, path: str, found: list[PixelRange]) -> list[PixelRange]:
        """Count pictures from 0 to 1 among those up to 1."""
        samples = OffenderSketch()
        for one in [one.samples for one in found if (one.path, one.kind) == (path, "unit")]:
            samples.add_many(one.count, one.samples)
        full = self._full[path].evidence()
        samples.add_many(full.count, full.samples)
        rest = [one for one in found if (one.path, one.kind) != (path, "unit")]
        return [*rest, PixelRange(path, "unit", samples.evidence(), 0.0, 1.0)]

    def _settled(self, path: str, kind: RangeKind, low: float, high: float) -> RangeKind:
        """Return the kind, or what the ends of all pictures around 0 prove."""
        if kind != "signed":
            return kind
        if any(_meets(low, high, *ends) for ends in TWICE):
            return "normalised-twice"
        depths = self._depths[path]
        apart = min(depths["dark"], depths["deep"]) >= max(LEAST, SHARE * sum(depths.values()))
        if apart and depths["between"] <= BETWEEN * depths["dark"]:
            # Noise, erased parts and pictures that are standardised one by one end anywhere.
            return "normalised" if any(_meets(low, high, *ends) for ends in ONCE) else kind
        return kind


def _depth_of(kind: RangeKind, low: float) -> str:
    if kind == "unit":
        return "dark" if low < DARK else "light"
    return "other" if kind != "signed" or low >= 0 else "deep" if low < DEEP else "between"


def _meets(low: float, high: float, black: float, white: float) -> bool:
    return abs(low - black) <= NEAR * abs(black) and abs(high - white) <= NEAR * abs(white)


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
    return any(
        black[0] - EDGE <= low <= white[0] + EDGE and black[1] - EDGE <= high <= white[1] + EDGE
        for black, white in SCALED_TWICE
    )
