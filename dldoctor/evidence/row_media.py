"""Some rows of the batches as a person looks at them: pictures, sounds, text, marks and labels, all small."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class RowPicture:
    """One picture of a row, scaled down."""

    path: str
    """Field that holds it."""
    png: str
    """Base64; empty where the limit of the whole was reached."""
    width: int
    """Of the picture as the model gets it."""
    height: int
    shown_as: str
    """How its numbers became colours."""
    at_s: float | None = None
    """Of a frame of a film: its time."""
    frame: int | None = None
    """Of a frame of a film: its number, from 0."""
    frames: int = 0
    """Frames of the whole film; 0 where it is no film."""
    tiles: tuple[int, int] = (1, 1)
    """Rows and columns of the tiles that were put together, since the picture goes on across their edges."""


@dataclass(frozen=True)
class RowMask:
    """A mask of a row: palette colours with a clear ground."""

    path: str
    png: str
    width: int
    height: int
    classes: tuple[int, ...] = ()
    """Values that occur, those of the ground included."""


@dataclass(frozen=True)
class RowBox:
    """A box in shares of the picture's sides."""

    x: float
    y: float
    width: float
    height: float
    label: str = ""


@dataclass(frozen=True)
class RowBoxes:
    """The boxes of a row."""

    path: str
    format: str
    known_by: str
    """``declared``, ``named by the boxes`` or ``values``; or that several formats fit."""
    boxes: tuple[RowBox, ...] = ()
    count: int = 0
    """All boxes; more than a hundred are not drawn."""


@dataclass(frozen=True)
class RowPoints:
    """The keypoints of a row, in shares of the picture's sides."""

    path: str
    points: tuple[tuple[float, float], ...] = ()
    """Those that are marked as visible."""
    count: int = 0


@dataclass(frozen=True)
class RowSound:
    """The beginning of a sound as a short WAV of one channel."""

    path: str
    wav: str
    """Base64; empty where the limit of the whole was reached."""
    rate: int
    """Samples a second of the sound itself."""
    rate_from: Literal["field", "file", "assumed"]
    """What tells the rate: a field that states it, the length of the sample's WAV file, or nothing."""
    seconds: float
    """Of the whole sound."""
    heard_s: float
    """Seconds that the clip holds."""
    envelope: tuple[float, ...] = ()
    """Highest absolute values of equal parts of the clip, 0 to 1."""
    peak: float = 0.0
    """Highest absolute value of the sound, before it was brought to the range of a WAV file."""


@dataclass(frozen=True)
class TextPiece:
    """A stretch of text of one kind."""

    text: str
    kind: Literal["text", "placeholder", "special", "padding", "ids"] = "text"
    number: int = 0
    """Of a run of placeholders: which one in the row, from 1."""
    count: int = 0
    """Tokens of the run."""


@dataclass(frozen=True)
class RowText:
    """The text of one field of a row."""

    path: str
    pieces: tuple[TextPiece, ...] = ()
    tokens: int = 0
    """Tokens of the row; 0 where the field holds text itself."""
    cut: bool = False
    """The text goes on."""


@dataclass(frozen=True)
class RowFact:
    """A short value of a row."""

    path: str
    text: str
    role: str = ""


@dataclass(frozen=True)
class MediaRow:
    """One row to look at."""

    number: int
    """From 0, in the order in which rows are shown."""
    batch: int
    row: int
    """Position in its batch."""
    sample: SampleId | None
    """The sample that most of the row was made of; null where rows are not one a sample."""
    suspect: bool = False
    """A part of the evidence names the sample."""
    own_id: str = ""
    files: tuple[str, ...] = ()
    """Files that the sample opened."""
    alone: tuple[str, ...] = ()
    """Fields shown as the sample has them, since the batch has them not row by row."""
    pictures: tuple[RowPicture, ...] = ()
    masks: tuple[RowMask, ...] = ()
    boxes: tuple[RowBoxes, ...] = ()
    points: tuple[RowPoints, ...] = ()
    sounds: tuple[RowSound, ...] = ()
    texts: tuple[RowText, ...] = ()
    labels: tuple[RowFact, ...] = ()
    facts: tuple[RowFact, ...] = ()
    shapes: tuple[RowFact, ...] = ()
    """Shape of each array."""


@dataclass(frozen=True)
class RowMediaEvidence:
    """Rows to look at, with their media."""

    rows: tuple[MediaRow, ...] = ()
    asked: int = 0
    """Rows that were wanted."""
    media_bytes: int = 0
    """Of pictures, masks and sounds, as base64."""
    limit_bytes: int = 0
    """No media are added beyond."""
    without_media: int = 0
    """Rows of which media were left out for it."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What the reader must know of how rows were read."""
