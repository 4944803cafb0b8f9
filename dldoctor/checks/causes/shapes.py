"""How the shapes of one field differ: in channels, in size, or in both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

from dldoctor.checks.base import Case
from dldoctor.checks.phrases import OTHERS
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence

CHANNELS = frozenset({1, 2, 3, 4})
"""Grey, grey with alpha, colour, and colour with alpha or CMYK."""
TARGET_WORDS = ("mask", "box", "label", "target", "keypoint", "heatmap", "feat", "embed", "hidden")
"""Parts of names of stacks whose first axis counts objects or features, not colours."""


@dataclass(frozen=True)
class ShapeMix:
    """In what the shapes of a field differ."""

    channels: tuple[Tally, ...] = ()
    """Channel counts of an image field, commonest first; empty where they do not differ."""
    sizes: bool = False
    """The shapes still differ when channels are left out of account."""


def axes(shape: str) -> tuple[int, ...] | None:
    """Return the axes of ``3x224x224``, or None for what is no shape."""
    if not shape:
        return ()
    parts = shape.split("x")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None


def shape_mix(case: Case, field: FieldEvidence) -> ShapeMix:
    """Tell whether an image field differs in channels, and whether a field differs in size."""
    if field.shape_count < 2:
        return ShapeMix()
    parsed = [(found, tally) for tally in field.shapes if (found := axes(tally.value)) is not None]
    layout = _layout([found for found, _ in parsed]) if _may_hold_pixels(case, field) else None
    if layout is None:
        return ShapeMix(sizes=True)
    split = [(_channels(found, layout), _size(found, layout), tally) for found, tally in parsed]
    sizes = len({size for _, size, _ in split}) > 1 or field.shape_count > len(parsed)
    return ShapeMix(channels=_grouped([(count, tally) for count, _, tally in split]), sizes=sizes)


def chance_of_mix(tallies: Iterable[Tally], batch_size: int) -> float:
    """Return the chance that a batch drawn at random from these samples holds several values.

    Values beyond those that were kept count as all different, which they nearly are.
    """
    counts = [tally.count for tally in tallies if tally.value != OTHERS]
    total = sum(counts) + sum(tally.count for tally in tallies if tally.value == OTHERS)
    size = min(batch_size, total)
    if size < 2:
        return 0.0
    return 1.0 - sum(comb(count, size) for count in counts) / comb(total, size)


def _may_hold_pixels(case: Case, field: FieldEvidence) -> bool:
    found = case.inferred.get(field.path)
    if found is not None and found.confidence >= 0.4:
        return found.role == "pixel_values"
    name = field.path.lower()
    return field.dtype not in ("bool", "int64") and not any(word in name for word in TARGET_WORDS)


def _layout(shapes: list[tuple[int, ...]]) -> str | None:
    """Return where the channels stand, ``first`` or ``last``, where all shapes could be images."""
    full = [shape for shape in shapes if len(shape) == 3]
    if not full or any(len(shape) not in (2, 3) for shape in shapes):
        return None
    if all(shape[0] in CHANNELS and min(shape[1:]) > max(CHANNELS) for shape in full):
        return "first"
    if all(shape[2] in CHANNELS and min(shape[:2]) > max(CHANNELS) for shape in full):
        return "last"
    return None


def _channels(shape: tuple[int, ...], layout: str) -> str:
    if len(shape) == 2:
        return "1"
    return str(shape[0] if layout == "first" else shape[2])


def _size(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    if len(shape) == 2:
        return shape
    return shape[1:] if layout == "first" else shape[:2]


def _grouped(values: list[tuple[str, Tally]]) -> tuple[Tally, ...]:
    counts: dict[str, Tally] = {}
    for value, tally in values:
        old = counts.get(value, Tally(value, 0))
        counts[value] = Tally(value, old.count + tally.count, old.examples + tally.examples)
    if len(counts) < 2:
        return ()
    return tuple(sorted(counts.values(), key=lambda tally: -tally.count))
