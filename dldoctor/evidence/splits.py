"""Two loaders held against each other: what each gives where both must agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.overlap import OverlapEvidence
from dldoctor.finding import SourceRef

Scale = Literal["bytes", "unit", "centred", "normalised-twice", "other"]
"""What the values of pixels are: 0 to 255, 0 to 1, around 0, between the ends of two normalisations, or none of these."""


@dataclass(frozen=True)
class ClassMap:
    """The classes that an object of the pipeline holds."""

    at: str
    """Where it was found, ``dataset.class_to_idx``."""
    ids: dict[str, int]
    """Class name to its id, at most 2,000."""


@dataclass(frozen=True)
class ClassMaps:
    """All class maps that were found, the outermost first."""

    maps: tuple[ClassMap, ...] = ()


@dataclass(frozen=True)
class PixelField:
    """Pixels of the batches."""

    path: str
    scale: Scale
    low: float
    high: float
    shape: str | None
    """Height and width (with channels), where all batches agree; null where they vary."""
    samples: int
    """Samples whose values were looked at."""


@dataclass(frozen=True)
class TokenField:
    """Tokens of the batches."""

    path: str
    tokenizer: str | None
    """Class of the tokenizer that was found or declared."""
    vocabulary: int | None
    """How many ids it has."""
    pad: int | None
    """Null where it is not known for sure."""
    eos: int | None
    limit: int | None
    """The length at which rows are cut, where it is declared or an attribute says it."""
    padded: Literal["left", "right", "both", "none"]
    longest: int


@dataclass(frozen=True)
class Side:
    """One of the two loaders."""

    target: str
    role: str
    """What it feeds: ``train``, ``eval``, ``generate``."""
    items: int | None
    batch_size: int | None
    shuffle: bool | None
    drop_last: bool
    settings_known: bool
    """Whether order and batches are the user's settings."""
    pixels: tuple[PixelField, ...] = ()
    tokens: tuple[TokenField, ...] = ()
    classes: tuple[ClassMap, ...] = ()
    dataset_ref: SourceRef | None = None
    collate_ref: SourceRef | None = None

    @property
    def left_over(self) -> int:
        """Items of the last, smaller batch that is dropped; 0 where none is, or where that is not known."""
        if not self.drop_last or not self.items or not self.batch_size:
            return 0
        return self.items % self.batch_size


@dataclass(frozen=True)
class SplitsEvidence:
    """Both sides."""

    first: Side
    second: Side
    overlap: OverlapEvidence | None = None
    """Items that both have."""
    overlap_missing: str = ""
    """Why that was not looked for."""
