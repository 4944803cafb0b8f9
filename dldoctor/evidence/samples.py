"""What was read from the dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.distribution import Distribution, Tally
from dldoctor.evidence.fields import Offenders
from dldoctor.finding import SampleId, SourceRef


@dataclass(frozen=True)
class FieldPreview:
    """One field of one sample (or batch) as a person would print it."""

    path: str
    container: str
    dtype: str | None
    shape: str | None
    """``3x224x224``; null for what has none."""
    range: str | None
    """``0 .. 255``; null for what has none."""
    preview: str
    """Short text of the value, at most 60 characters, without control characters."""


@dataclass(frozen=True)
class SamplePreview:
    """One of the first samples."""

    id: SampleId
    own_id: str | None
    """The dataset's own name for it (key, path), where one was found."""
    fields: tuple[FieldPreview, ...]


@dataclass(frozen=True)
class Substitution:
    """A sample that came back as another one."""

    asked: SampleId
    got: SampleId | None
    """Null where it is another sample, but not known which."""
    error: str | None
    """The exception that was swallowed, where one was seen."""
    where: SourceRef | None = None
    blank: str | None = None
    """A field of one single value in what came instead: no other sample, a stand-in made up."""


@dataclass(frozen=True)
class OverwrittenField:
    """A field that was looked at when its samples were read and again before their batch was made."""

    path: str
    compared: int
    """Samples of the first batch of each process that were looked at twice."""
    changed: Offenders
    """Samples in which it was another by then."""
    contents: int
    """Different contents among the compared, when they were read."""
    contents_left: int
    """Different contents among them, when they were collated."""


RangeKind = Literal[
    "unit", "bytes", "signed", "twice", "twice-normalised", "unscaled", "normalised", "normalised-twice"
]
"""Of real numbers: up to 1, up to 255, around 0, up to 1/255, the same normalised, around 0 and beyond 255; of pictures
around 0 also those between the ends of a usual normalisation that lie apart from others up to 1, and those between
the ends of two normalisations, one after the other."""


@dataclass(frozen=True)
class PixelRange:
    """Pictures of one field whose values lie in one kind of range."""

    path: str
    kind: RangeKind
    samples: Offenders
    low: float
    high: float


@dataclass(frozen=True)
class SamplesEvidence:
    """The samples that the loader's workers read in this run."""

    read: int
    """Samples returned, repeats included."""
    failed: int
    """Samples that raised."""
    distinct: int
    """Different indices among `read` (map-style); equals `read` for streams."""
    own_id_field: str | None = None
    """Field that holds the dataset's own ids."""
    structures: tuple[Tally, ...] = ()
    """Container and keys of a whole sample, commonest first; ``None`` for a None sample."""
    none: Offenders = Offenders()
    """Samples that are None."""
    bytes: Distribution | None = None
    """Bytes of a sample: all tensors, arrays, images (decoded) and texts in it."""
    first: tuple[SamplePreview, ...] = ()
    """The first three samples."""
    substituted: tuple[Substitution, ...] = ()
    """Seen while the loader ran: an item that was fetched through another index (first 50)."""
    substituted_count: int = 0
    overwritten: tuple[OverwrittenField, ...] = ()
    """Whether a later read wrote over samples that were read before, by field."""
    ranges: tuple[PixelRange, ...] = ()
    """Pictures of three colours in real numbers, by the range of their values; commonest first."""
    modalities: tuple[Tally, ...] = ()
    """Combinations of the modalities that are not empty (``image+text``)."""
    yielded: int | None = None
    """Iterable: samples of one whole epoch over all workers; null where it was cut short."""
    full_epoch: bool = False
    """The loader ran to its end."""
    statistics_share: float = 1.0
    """Share of the samples whose values were looked at."""
