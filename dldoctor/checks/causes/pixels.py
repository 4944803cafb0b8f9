"""In what the images of one field differ beside their size: mode, channels, bits per channel."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.causes.lineage import destinations, role
from dldoctor.checks.causes.shapes import CHANNELS, axes, shape_mix
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence

WIDE = frozenset({"uint16", "int16", "int32", "uint32", "int64"})
"""Dtypes in which 16-bit images arrive."""


def holds_images(case: Case, field: FieldEvidence) -> bool:
    """Tell whether a sample field holds images, as far as its role and type tell."""
    found = role(case, field, 0.4)
    return found == "pixel_values" or (found is None and field.container == "PIL.Image")


def image_kinds(case: Case, field: FieldEvidence) -> tuple[str, tuple[Tally, ...]]:
    """Return what differs (``mode``, ``channel count``, ``dtype``) and its values, commonest first."""
    if len(field.modes) > 1:
        return "mode", field.modes
    channels = shape_mix(case, field).channels
    if channels:
        return "channel count", channels
    return "dtype", depth_mix(case, field)


def depth_mix(case: Case, field: FieldEvidence) -> tuple[Tally, ...]:
    """Return the dtypes of an image field that holds 8-bit and wider images; empty if it does not."""
    if not holds_images(case, field):
        return ()
    found = {tally.value for tally in field.dtypes}
    return field.dtypes if "uint8" in found and found & WIDE else ()


def mixed_in_batches(case: Case, field: FieldEvidence, what: str) -> bool | None:
    """Tell whether the batches show the mix of the samples; None where they do not tell."""
    reached = destinations(case, field)
    if not reached:
        return None
    if what == "dtype":
        return any(one.dtype in WIDE or len(one.dtypes) > 1 for one in reached)
    if any(len(one.modes) > 1 for one in reached):
        return True
    stacked = [one for one in reached if "[" not in one.container and one.shapes]
    if not stacked:
        return None
    return any(len(_channels(one)) > 1 for one in stacked)


def _channels(field: FieldEvidence) -> set[int]:
    """Return the channel counts of stacked images; 0 stands for no channel axis."""
    shapes = [found[1:] for tally in field.shapes if (found := axes(tally.value)) is not None]
    images = [shape for shape in shapes if len(shape) in (2, 3)]
    full = [shape for shape in images if len(shape) == 3]
    grey = {0} if len(full) < len(images) else set[int]()
    if full and all(shape[0] in CHANNELS and min(shape[1:]) > max(CHANNELS) for shape in full):
        return grey | {shape[0] for shape in full}
    if full and all(shape[2] in CHANNELS and min(shape[:2]) > max(CHANNELS) for shape in full):
        return grey | {shape[2] for shape in full}
    return grey
