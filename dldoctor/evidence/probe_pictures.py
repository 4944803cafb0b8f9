"""What the user's code makes of probe pictures that its decoders were made to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SampleId, SourceRef

GivenOrder = Literal["rgb", "bgr"]
SeenOrder = Literal["rgb", "bgr", "grey", "varies", "other"]


@dataclass(frozen=True)
class Opened:
    """How a picture was decoded."""

    reader: str
    """``PIL.Image.open``."""
    suffix: str
    """Of the file, ``.jpg``; empty where it was read from memory."""
    gives: GivenOrder | None
    """Order of the channels that the reader returns; null for grey pictures, and where that is not known."""
    where: SourceRef | None = None
    """The user's line that called it."""


@dataclass(frozen=True)
class Channels:
    """Where the colours of probe pictures went."""

    order: SeenOrder
    """`varies` where it differs between seeds, `other` for an exchange that is no reversal."""
    black: tuple[float, ...] = ()
    """Value of black in each channel of the output."""
    white: tuple[float, ...] = ()
    """How far the brightest value of its colour lies above black, by channel."""
    swaps: int = 0
    """Calls of `cv2.cvtColor` that exchange red and blue, for each picture that was decoded."""
    swapped_at: SourceRef | None = None
    whole_numbers: bool = False
    """The output holds integers: no normalisation was done."""


@dataclass(frozen=True)
class Shrunk:
    """How a picture of noise was scaled down."""

    factor: float
    """Source pixels on one side of an output pixel."""
    levels: float
    """Mean difference from what antialiased resizing can give, in levels of 0 to 255; the least of the readings."""
    readings: int
    where: SourceRef | None = None
    """The user's line that called a resize."""
    call: str | None = None
    """What it called, ``cv2.resize``."""


@dataclass(frozen=True)
class Wrapped:
    """What became of a smooth picture."""

    readings: int
    """Seeds with which it was read."""
    wrapped: int
    """Readings in which values jumped over the end of 8 bits and went on at the other."""
    share: float = 0.0
    """Largest share of the pixels beyond such a jump."""
    before: int | None = None
    """Two neighbouring values at a jump, in levels of 0 to 255."""
    after: int | None = None


@dataclass(frozen=True)
class ProbedField:
    """One field of one item that holds a picture."""

    path: str
    sample: SampleId
    opened: Opened
    channels: Channels | None = None
    """Null where the response is not one of colours."""
    shrunk: Shrunk | None = None
    """Null where the picture was not scaled down, or where that cannot be told."""
    wrapped: Wrapped | None = None


@dataclass(frozen=True)
class ProbePicturesEvidence:
    """Items whose pictures were exchanged when they were decoded."""

    fields: tuple[ProbedField, ...] = ()
    readings: int = 0
    """Items read, with one probe picture after the other."""
    reason: str = ""
    """Why there are no fields."""
