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


@dataclass(frozen=True)
class PairedTransforms:
    """Readings in which both picture and target show a card."""

    picture: str
    """Field of the picture."""
    target: str
    """Field of the target."""
    kind: Literal["mask", "boxes"]
    readings: int
    """In which both could be compared."""
    apart: int
    """In which the target lies otherwise than the picture."""
    varies: bool = False
    """The picture lies otherwise in some readings than in others."""
    examples: tuple[ApartTransform, ...] = ()
