"""Annotations of single samples against the picture that they describe."""

from __future__ import annotations

from dataclasses import dataclass, field

from dldoctor.finding import SampleId

FORMATS = ("xyxy", "xywh", "cxcywh")


@dataclass(frozen=True)
class OtherSize:
    """Another size that the picture of a sample has somewhere."""

    name: str
    """Where it stands: ``file`` (as stored), ``shown`` (its orientation obeyed), or a field."""
    width: int
    height: int
    bad: dict[str, int] = field(default_factory=dict)
    """Format to the boxes that would be wrong in a picture of this size."""


@dataclass(frozen=True)
class BoxRow:
    """The boxes of one sample. Each format that they may have is judged apart."""

    sample: SampleId
    path: str
    """Field of the sample."""
    boxes: int
    width: int
    """Of the picture as it was read."""
    height: int
    normalised: bool
    """No coordinate is above 2: they are shares of the sides."""
    told: str | None = None
    """Format that the table itself names (torchvision's boxes do)."""
    flat: dict[str, int] = field(default_factory=dict)
    """Format to boxes without area."""
    outside: dict[str, int] = field(default_factory=dict)
    """Format to boxes with an area that leave the picture."""
    example: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Format to the first wrong box."""
    others: tuple[OtherSize, ...] = ()
    reach: float = 0.0
    """The largest of all numbers."""

    def bad(self, name: str) -> int:
        """Return how many boxes are wrong in a format."""
        return self.flat.get(name, 0) + self.outside.get(name, 0)


@dataclass(frozen=True)
class MaskRow:
    """A mask whose size is not that of the picture, or keypoints that leave it."""

    sample: SampleId
    path: str
    """Field of the sample."""
    kind: str
    """``mask`` or ``keypoints``."""
    width: int
    """Of the picture."""
    height: int
    own_width: int
    """Of the mask; of keypoints the farthest one."""
    own_height: int


@dataclass(frozen=True)
class AnnotationEvidence:
    """What the annotations of the samples say of their pictures."""

    samples: int
    with_boxes: int = 0
    boxes: tuple[BoxRow, ...] = ()
    """One a sample with boxes, at most some hundred."""
    with_masks: int = 0
    """Samples with a mask or keypoints beside a picture."""
    masks: tuple[MaskRow, ...] = ()
    """Those that do not fit."""
    declared: str | None = None
    """The format of boxes that the user declared."""

    @property
    def box_format(self) -> tuple[str, str]:
        """The format in which boxes are judged, and how it is known: declared, named by them, or from values."""
        if self.declared:
            return self.declared, "declared"
        told = {row.told for row in self.boxes}
        named = next(iter(told)) if len(told) == 1 else None
        return (named, "named by the boxes") if named else (self.fitting_format, "values")

    @property
    def fitting_format(self) -> str:
        """The format in which the fewest boxes are wrong, and of several the first."""
        return min(FORMATS, key=lambda one: sum(row.bad(one) for row in self.boxes))
