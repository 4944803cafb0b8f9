"""Whether a picture and its target are transformed alike, seen on test cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class ApartTransform:
    """One reading in which the target did not follow the picture."""

    sample: SampleId
    seed: int
    picture_turn: str | None
    """How the picture lies (``mirrored``); null where it cannot be told."""
    target_turn: str | None
    """``as stored`` of boxes and keypoints: they stayed where they were while the picture moved."""


@dataclass(frozen=True)
class BlendedMask:
    """One reading in which a mask of two values came out with values between them."""

    sample: SampleId
    low: int
    """One of the two."""
    high: int
    between: tuple[int, ...]
    """Values between them, the first few."""
    share: float
    """Of the pixels that have them."""


@dataclass(frozen=True)
class PairedTransforms:
    """Readings in which the picture shows a card, and what the target did.

    Of masks, which show the card themselves, one reading tells. Of boxes and keypoints it takes two of one
    sample, in which the picture lies otherwise.
    """

    picture: str
    """Field of the picture."""
    target: str
    """Field of the target."""
    kind: Literal["mask", "boxes", "keypoints"]
    readings: int
    """In which both could be compared; of boxes and keypoints pairs of readings."""
    apart: int
    """In which the target lies otherwise than the picture."""
    varies: bool = False
    """The picture lies otherwise in some readings than in others."""
    examples: tuple[ApartTransform, ...] = ()
    whole: int = 0
    """Readings of a mask of whole numbers and few values, which can be looked at for values between."""
    blended: int = 0
    """In which it had some."""
    blends: tuple[BlendedMask, ...] = ()
