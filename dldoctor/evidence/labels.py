"""Which tokens are trained, padded, masked and packed: facts of every row, ids of those shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dldoctor.evidence.label_rows import LabelRow, LabelTable
from dldoctor.finding import SampleId

LabelKind = Literal["same", "shifted", "mlm", "classes", "apart", "other", "unclear", "none"]
"""Labels that are the ids of their own position or of the next, masked words, classes of tokens, or a text of their own."""
MaskKind = Literal["flags", "inverted", "documents", "bounds", "block", "none"]
BoundarySource = Literal["segments", "bounds", "mask", "positions", "samples", "eos", "none"]


@dataclass(frozen=True)
class Vocabulary:
    """The ids that mean something, and how each is known: ``declared``, ``tokenizer``, ``values``.

    An end token that may as well be a word, such as a full stop, is a ``guess``.
    """

    tokenizer: str | None = None
    """Class of the tokenizer that was found or declared."""
    found_at: str | None = None
    """Where it was found, ``collate.tokenizer``."""
    size: int | None = None
    pad: int | None = None
    eos: int | None = None
    bos: int | None = None
    end: int | None = None
    """Special id other than `eos` with which most trained rows end (a turn end)."""
    placeholders: tuple[int, ...] = ()
    """Image, audio and video placeholder ids."""
    special: tuple[int, ...] = ()
    """Special ids that the tokenizer names, the first 256."""
    sources: dict[str, str] = field(default_factory=dict)
    """Name of an id above to how it is known."""


@dataclass(frozen=True)
class LabelGroup:
    """One table of token ids with what stands beside it; preference batches have two."""

    tokens: str
    """Path of the token ids; of the labels where decoder targets stand alone."""
    labels: str | None = None
    mask: str | None = None
    loss_mask: str | None = None
    positions: str | None = None
    boundaries: str | None = None
    """Path of the field that numbers or bounds documents."""
    label_kind: LabelKind = "none"
    mask_kind: MaskKind = "none"
    documents_by: BoundarySource = "none"
    decoder: bool = False
    """The labels are a sequence of their own (an encoder-decoder batch)."""
    ignored: int | None = None
    """The value of ignored labels, as declared or seen."""
    certain: bool = True
    """Roles are sure enough for a finding above `info`."""
    why: str = ""
    """Why labels, mask and boundaries are taken for what they are."""


@dataclass(frozen=True)
class ShownToken:
    """One position of a shown row."""

    at: int
    id: int
    label: int | None
    """The label in the batch at this position; null without labels."""
    mask: int | None
    role: Literal["trained", "ignored", "padding", "placeholder", "special"]
    text: str = ""
    document: int = 0
    label_text: str = ""
    """Decoded label, where the label of a masked word (or of other words) is another token than the id."""


@dataclass(frozen=True)
class ShownRow:
    """A row as a person looks at it: the positions around where something changes."""

    batch: int
    row: int
    group: int
    sample: SampleId | None
    tokens: tuple[ShownToken, ...]
    skipped: int = 0
    """Positions that are left out."""


@dataclass(frozen=True)
class LengthsApart:
    """Fields of one sample or batch row whose lengths differ."""

    sample: SampleId | None
    lengths: dict[str, int]
    stage: Literal["sample", "batch", "bounds"] = "sample"
    """``bounds``: the second length is where the cumulative lengths of a batch end."""


@dataclass(frozen=True)
class LimitTrial:
    """What came of reading samples again with a higher limit."""

    attribute: str
    """The setting that was raised, ``dataset.max_length``."""
    limit: int
    samples: int
    cut: int
    """Samples that are longer without the limit."""
    answers_cut: int
    """Samples of which targets were lost."""
    longest: int
    keeps_95: int | None = None
    """Limit that keeps all targets of 95% of the samples."""
    keeps_99: int | None = None
    first_95: int | None = None
    """Limit that keeps at least one target of 95% of the samples."""


@dataclass(frozen=True)
class Marker:
    """The ids that announce an answer, as the user's code or the good rows tell."""

    ids: tuple[int, ...]
    source: str
    """``collate.response_template``, or ``rows``: what stands before the first target of good rows."""
    rows_with: int = 0
    rows_without: int = 0
    nearest: tuple[int, ...] = ()
    """In a row without it, the ids that come nearest."""
    nearest_row: tuple[int, int] | None = None
    text: str = ""
    nearest_text: str = ""


@dataclass(frozen=True)
class Leak:
    """The perturbation test: documents before the last were changed, the last one's logits watched."""

    model: str
    built: Literal["from config", "given"]
    change: float
    """Largest change of a logit of the last document."""
    documents: int
    attention: str = ""
    """Attention implementation that was used."""


@dataclass(frozen=True)
class ClassLabels:
    """Class labels, or a segmentation mask."""

    path: str
    kind: Literal["class_label", "segmentation_mask"]
    dtype: str
    values: tuple[tuple[int, int], ...] = ()
    """Value and count, commonest first, at most 64."""
    low: int = 0
    high: int = 0
    elements: int = 0
    fractional: bool = False
    certain: bool = True
    """False where the field is taken for classes by its values alone, since a number of classes was declared."""
    samples_of: dict[str, tuple[SampleId, ...]] = field(default_factory=dict)
    """Value to the first samples that have it, for values that few share."""


@dataclass(frozen=True)
class SourceShare:
    """How much is trained of the rows from one source."""

    path: str
    """Field of the samples that names the source."""
    value: str
    rows: int
    tokens: int
    """Real tokens."""
    trained: int
    """Targets among them."""


@dataclass(frozen=True)
class LabelsEvidence:
    """The text labels of the batches that were looked at."""

    groups: tuple[LabelGroup, ...] = ()
    table: LabelTable = field(default_factory=LabelTable)
    """Facts of every row."""
    batches: int = 0
    samples: int = 0
    vocabulary: Vocabulary = Vocabulary()
    limit: int | None = None
    """The length at which rows are cut: declared, an attribute of the user's, or where rows pile up."""
    limit_from: str = ""
    trial: LimitTrial | None = None
    marker: Marker | None = None
    foreign: dict[str, int] = field(default_factory=dict)
    """Negative label to its count over all rows, the ignored value included."""
    apart: tuple[LengthsApart, ...] = ()
    apart_count: int = 0
    shown: tuple[ShownRow, ...] = ()
    turns: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Role of the speaker to its tokens and how many of them are trained."""
    by_position: tuple[float, ...] = ()
    """Trained share of the real tokens in each tenth of the rows."""
    by_source: tuple[SourceShare, ...] = ()
    """Rows that hold one sample, by the source that their samples name."""
    dropped_keys: tuple[str, ...] = ()
    """Keys that the collate removed from the samples that it was given."""
    order_matters: tuple[str, ...] = ()
    """Fields of a batch that change (beyond their order) when the samples come in reverse."""
    masks_in_samples: tuple[str, ...] = ()
    """Fields of the samples that mark targets and reach no batch."""
    leak: Leak | None = None
    classes: tuple[ClassLabels, ...] = ()
    drift: tuple[str, ...] = ()
    """Where the batches contradict the roles file that was given."""
    own_cpu_ns: int = 0
    """CPU time of reducing rows to facts."""

    @property
    def rows(self) -> tuple[LabelRow, ...]:
        """The facts row by row."""
        return self.table.rows
