"""Placeholders in the text against the images (clips, sounds) of the batch, slot by slot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dldoctor.finding import SampleId

Media = Literal["image", "video", "audio"]
Tie = Literal["grid", "sizes", "tiles", "lengths", "one", "numbered"]
"""What says how many placeholders belong to an item: the product of its grid, its size in patches, so many a
tile, the length of its sound, just one, or one id for each item."""
KnownBy = Literal["declared", "types", "tokenizer", "negative", "values"]


@dataclass(frozen=True)
class Slot:
    """One run of placeholders with the features that belong to it."""

    at: int
    """Offset of the run in its row; -1 where features have no run."""
    length: int
    """Placeholders; 0 where features have no run."""
    expected: int
    """Features of the items; 0 where no item is left for the run."""
    items: tuple[int, ...] = ()
    """Positions of the items in the batch."""

    @property
    def fits(self) -> bool:
        """Whether there is a placeholder for each feature."""
        return self.length == self.expected


@dataclass(frozen=True)
class PlaceholderRow:
    """One row of a batch."""

    batch: int
    row: int
    """-1 where it cannot be told to which row features without a run belong."""
    sample: SampleId | None
    stream: int
    """Position among the streams."""
    slots: tuple[Slot, ...] = ()
    real: int = 0
    """Tokens that are no padding."""
    starts_inside: bool = False
    """The first real token is a placeholder."""
    ends_inside: bool = False
    """The last real token is a placeholder."""
    source: int = -1
    """Tokens that the sample had before the collate; -1 where it is not known."""

    @property
    def placeholders(self) -> int:
        """Placeholders in the row."""
        return sum(slot.length for slot in self.slots)

    @property
    def expected(self) -> int:
        """Features that belong to the row."""
        return sum(slot.expected for slot in self.slots)

    @property
    def fits(self) -> bool:
        """Whether every slot does."""
        return all(slot.fits for slot in self.slots)


@dataclass(frozen=True)
class Stream:
    """One kind of media in the batches: its field, its placeholder, and how they are tied."""

    media: Media
    features: str
    """Path of the pixels or the sound."""
    tokens: str = ""
    """Path of the token ids."""
    placeholder: tuple[int, ...] = ()
    text: str = ""
    """Text of the placeholder, where a tokenizer tells."""
    known_by: KnownBy | None = None
    tie: Tie | None = None
    """None: the features of an item cannot be derived, and nothing is judged."""
    unit: str = ""
    """How features are counted, ``image_grid_thw / 2^2`` or ``16 a tile``."""
    why: str = ""
    """How the tie is known, or why there is none."""
    items: int = 0
    dummies: int = 0
    """Items of one colour, or flagged as no image: they may go without placeholders."""
    rows: int = 0
    wrong_rows: int = 0
    batches: int = 0
    """Batches with items or placeholders of this kind."""
    wrong_batches: int = 0


@dataclass(frozen=True)
class CountMismatch:
    """One batch in which a field states another number than there is."""

    batch: int
    stated: int
    held: int
    row: int = -1
    """The row of which the two numbers are; -1 where they are of the whole batch."""
    samples: tuple[SampleId, ...] = ()


@dataclass(frozen=True)
class CountField:
    """A field that states how many images (or patches) there are."""

    path: str
    against: str
    """The field that holds them."""
    kind: Literal["counts", "grid", "sizes", "flags"]
    batches: int = 0
    equal: int = 0
    backed: bool = True
    """It is equal in most batches (or in some, and the placeholders back what is held in the others), or declared."""
    wrong: tuple[CountMismatch, ...] = ()
    """The first batches that differ."""


@dataclass(frozen=True)
class Tag:
    """One tag in the text of a sample, before it is expanded."""

    text: str
    path: str
    role: str = ""
    """Who says the text, where the sample tells: ``user``, ``assistant``."""
    offset: int = 0
    """Characters before it in its text."""
    excerpt: str = ""


@dataclass(frozen=True)
class TaggedSample:
    """A sample whose tags and images differ in number."""

    sample: SampleId
    images: int
    tags: tuple[Tag, ...] = ()
    count: int = 0
    """Tags, those beyond the first few included."""
    batch: int = 0
    fits: bool | None = None
    """Whether its row has a run for each image after all; null where that is not known."""


@dataclass(frozen=True)
class TagEvidence:
    """Tags in the texts of samples against the images of the samples."""

    text: str
    """The tag that was counted."""
    samples: int = 0
    """Samples with text."""
    pictured: int = 0
    """Samples with images."""
    agreeing: int = 0
    """Samples with images and as many tags."""
    differing: int = 0
    differences: dict[str, int] = field(default_factory=dict)
    """Tags minus images to the number of samples, those that agree included."""
    examples: tuple[TaggedSample, ...] = ()


@dataclass(frozen=True)
class PlaceholdersEvidence:
    """What the batches say of placeholders and of what stands behind them."""

    streams: tuple[Stream, ...] = ()
    rows: tuple[PlaceholderRow, ...] = ()
    """Every row that is wrong (the first of them), then some that are right."""
    counts: tuple[CountField, ...] = ()
    tags: TagEvidence | None = None
    batches: int = 0
    samples: int = 0
    limit: int | None = None
    """The length at which rows are cut."""
    limit_from: str = ""
    longest_row: int = 0
    """Tokens of the longest row."""
    longest: int = 0
    """Longest row with its missing placeholders added: no smaller limit keeps every image."""
    whole: bool = False
    """`longest` is the length of the uncut rows; otherwise text behind the cut is not counted."""
