"""Whether the parts of one row belong together: what each field of a batch was made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from dldoctor.evidence.annotations import AnnotationEvidence
from dldoctor.evidence.file_pairs import (
    CarriedText,
    FilePairs,
    FrameOrder,
    ListedTexts,
    OrientationEvidence,
)
from dldoctor.evidence.paired_transforms import PairedTransforms
from dldoctor.evidence.scores import ScoreEvidence
from dldoctor.evidence.times import TimeEvidence
from dldoctor.finding import SampleId


@dataclass(frozen=True)
class TracedField:
    """One field of the batches, and how far its rows could be traced to samples."""

    path: str
    rows: int
    """Rows that were looked at, all batches together."""
    traced: int
    """Rows whose content is that of a sample."""
    how: dict[str, int] = field(default_factory=dict)
    """What the rows are to their samples (``equal``, ``padded``, ``truncated``, ``scaled``, ``cropped``),
    with counts."""
    mixed: int = 0
    """Rows that are a blend of several samples."""
    unjudged: str | None = None
    """Why the field was not compared with the others."""
    left_out: bool = False
    """Its rows tell their samples, and were not compared all the same."""


@dataclass(frozen=True)
class Misplaced:
    """One batch in which fields of one row come from different samples."""

    batch: int
    samples: tuple[SampleId, ...]
    """What was given to the collate, in order."""
    first: int
    """The first wrong row, from 0."""
    wrong: int
    rows: int
    """Rows of this batch that could be compared."""
    path: str
    """The field that disagrees with the others."""
    against: str
    """A field that it disagrees with."""
    sources: dict[str, tuple[SampleId | None, ...]] = field(default_factory=dict)
    """Field to the sample behind each row; null where none or several fit, or the row is missing."""
    lost: tuple[SampleId, ...] = ()
    """Samples that the field left out and the others have."""


@dataclass(frozen=True)
class ReadTogether:
    """Items that `__getitems__` returned, compared with those of `__getitem__`, random numbers pinned."""

    items: int
    wrong: int
    """Items with a part that is that of another index of the batch."""
    path: str = ""
    """The part of the first wrong one."""
    asked: int | str = 0
    got: int | str = 0
    """The index that has this part by itself."""
    place: int = 0
    """Place in the batch, from 0."""


@dataclass(frozen=True)
class CollateTrace:
    """Batches put together by the user's collate, each row traced to the samples that were given to it."""

    batches: int
    samples: int
    rows: int
    """Rows in which at least two fields could be compared."""
    wrong: int
    """Rows whose fields come from different samples."""
    wrong_batches: int
    fields: tuple[TracedField, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    """Examples, one a batch."""
    mixed: bool = False
    """Rows are blends of several samples; which fields of such a row belong together is not judged."""
    twins: dict[str, str] = field(default_factory=dict)
    """Field that disagrees to another one that holds the same content and agrees."""
    told_by: str | None = None
    """A field whose value tells the rows that disagree from those that agree."""
    without_source: int = 0
    """Samples without this part of the data, whose rows of the other fields are there."""
    by_order: dict[str, str] = field(default_factory=dict)
    """Field that does not follow when the same samples are collated in another order, to one that does."""
    reordered: int = 0
    """Batches that were collated in another order too, since the collate takes no sample alone."""
    alone_failed: int = 0
    """Samples that the collate refused to take alone."""
    together: ReadTogether | None = None
    """Null where the loader reads item by item."""
    unjudged: str | None = None
    """Why nothing could be compared."""


@dataclass(frozen=True)
class ApartItem:
    """One item whose parts, read by a worker, are those of different items."""

    index: int
    worker: int
    parts: dict[str, int | None] = field(default_factory=dict)
    """Field to the index that has this content without workers; null where several have it."""


@dataclass(frozen=True)
class WorkerPairs:
    """The same items, random numbers pinned, read without workers and by several."""

    items: int
    workers: int
    start_method: str
    fields: tuple[str, ...] = ()
    """Fields that tell items from each other."""
    apart: int = 0
    """Items whose parts belong to different items where workers read them."""
    examples: tuple[ApartItem, ...] = ()
    provoked: tuple[str, ...] = ()
    """Shared files into whose `seek` pauses were put."""
    failed: str | None = None


@dataclass(frozen=True)
class PartsEvidence:
    """The parts of single samples, compared with each other."""

    samples: int
    annotations: AnnotationEvidence | None = None
    files: FilePairs | None = None
    orientation: OrientationEvidence | None = None
    times: TimeEvidence | None = None
    order: FrameOrder | None = None
    """Null where no sample opens a row of numbered files."""
    carried: CarriedText | None = None
    """Null where no text of a stream was seen to be that of the sample before."""
    listed: ListedTexts | None = None
    """Null where no list on disk has both the files and the texts of samples."""


@dataclass(frozen=True)
class AlignmentEvidence:
    """Everything that was measured about rows that must belong together."""

    collate: CollateTrace | None = None
    """Null where no collate can be seen."""
    workers: WorkerPairs | None = None
    """Null where items have no index."""
    in_worker: CollateTrace | None = None
    """The same collate traced in a worker; null where it is no code of the user's, or rows are wrong without workers."""
    parts: PartsEvidence | None = None
    """Null where no sample can be seen."""
    transforms: tuple[PairedTransforms, ...] = ()
    """Pictures and targets that were read as test cards."""
    scores: ScoreEvidence | None = None
    """Null where no scorer is declared."""
    unfinished: bool = False
    """What is null or empty may not have been asked: the probe was ended before its last question."""
