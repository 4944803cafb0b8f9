"""What came out of the loader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.distribution import Distribution, Tally
from dldoctor.evidence.fields import Offenders
from dldoctor.evidence.samples import FieldPreview
from dldoctor.finding import SampleId


@dataclass(frozen=True)
class DroppedField:
    """A field that samples of a batch had and the batch lacks."""

    path: str
    """Path in the sample."""
    batches: int
    """Batches in which a sample had it and the batch did not."""
    kept_batches: int
    """Batches that carry it; 0 when the collate drops it always, which is a choice."""
    samples: tuple[SampleId, ...]
    """Samples that lost it, the first 20."""
    used: bool | None = None
    """Of a field that no batch has under its name: whether a batch became another one when its samples
    exchanged the field; null where that was not tried or could not be told."""


@dataclass(frozen=True)
class MixedBatches:
    """Batches whose samples differ in one respect, and how the collate took them."""

    what: Literal["none", "structure", "shape", "dtype", "mode"]
    path: str
    """Field; empty for the whole sample."""
    collated: int
    """Batches with a mix that came through."""
    failed: int
    """Batches with a mix on which the collate raised."""
    refused: bool | None = None
    """Where no batch had a mix: whether one that was put together for the test was refused
    by the collate; null where that was not tried."""
    mended: bool | None = None
    """Of a failing batch with this mix: whether its largest group of samples without the mix
    (one sample taken twice, where all differ) collates; null where that was not tried."""


@dataclass(frozen=True)
class PaddingEvidence:
    """How much of the token batches is padding."""

    path: str
    """Field of the token ids."""
    source: str
    """How padding was told: the field of the mask, or ``pad id 0``."""
    share: float
    """Padded positions of all positions."""
    share_grouped: float
    """The same samples batched by length instead."""
    share_packed: float
    """The same samples packed into rows of `packed_width`."""
    rows: int
    lengths: Distribution
    """Real tokens per row."""
    low: float
    high: float
    """90% interval of `share` over batches."""
    packed_width: int | None = None
    """Declared max length, or eight times the longest row."""


@dataclass(frozen=True)
class BatchesEvidence:
    """The batches that the loader delivered in this run."""

    delivered: int
    """Batches that reached the consumer."""
    planned: int | None
    """Batches that this run set out to read; null without a limit."""
    full_epoch: bool
    """The loader ended by itself."""
    sizes: tuple[Tally, ...] = ()
    """Rows per batch."""
    container: str = ""
    """Type of the batch."""
    bytes: Distribution | None = None
    """Bytes of a batch (tensors, arrays, texts)."""
    tensors: Distribution | None = None
    """Tensors in a batch."""
    failed: int = 0
    """Batches on which the collate raised."""
    spoiled: int = 0
    """Batches that were not collated because one of their samples had raised."""
    empty: int = 0
    """Batches that are None or have no row."""
    dropped: tuple[DroppedField, ...] = ()
    dropped_samples: Offenders = Offenders()
    """Samples that the collate left out of their batch as a whole."""
    mixed: tuple[MixedBatches, ...] = ()
    padding: PaddingEvidence | None = None
    first: tuple[FieldPreview, ...] = ()
    """The first batch."""
    agreement: tuple[str, ...] = ()
    """Sentences on whether the shapes of the first batch agree with one another and with the
    samples that it was made of."""
    fewer_than_length: int | None = None
    """Batches that ``len(loader)`` promised and the loader did not deliver, after a full epoch."""
    more_than_length: int | None = None
    """Batches of a full epoch beyond those that ``len(loader)`` promised."""
    statistics_share: float = 1.0
    """Share of the batches whose values were looked at."""
