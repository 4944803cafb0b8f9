"""How the dataset keeps the contract of a sequence or stream; read in a fresh process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.sample_rates import SampleRates
from dldoctor.evidence.samples import Substitution
from dldoctor.finding import SampleId, SourceRef


@dataclass(frozen=True)
class Reading:
    """What one index gave."""

    index: int
    outcome: Literal["value", "index-error", "raised", "stop"]
    """`stop`: StopIteration came out of ``__getitem__``."""
    error: str | None = None
    where: SourceRef | None = None
    raised_by_user: bool = False
    """A frame of the user's own raised it (not the list or array that the index was handed to)."""
    preview: str = ""
    same_as: int | None = None
    """An index below the length that gave equal content with equal random numbers; the last index
    and, for ``dataset[length]``, index 0 are preferred where several did."""
    retried: bool = False
    """The dataset had swallowed an exception and asked itself for another index, and this came out
    of that retry."""


@dataclass(frozen=True)
class Reread:
    """The same index, read three times with the same random numbers."""

    index: int
    equal: bool
    previews: tuple[str, ...] = ()
    """The three values of the first field that differed."""
    path: str | None = None
    """That field."""
    storage_changed: str | None = None
    """Attribute path of a stored array, tensor or container that reading this item changed."""


@dataclass(frozen=True)
class Scatter:
    """Whether an index decides which item comes back."""

    indices: int
    """Indices that were read."""
    reads: int
    """Reads of each."""
    crossed: int
    """Reads whose content equals that of another index although that index is read elsewhere."""
    varying: int
    """Indices that did not give one and the same item each time."""
    distinct: int
    """Different items among the first reads."""
    by: Literal["content", "own-id", "sequence"]
    """How items were told apart."""
    example: SampleId | None = None
    values: tuple[str, ...] = ()
    """Items that one index gave (ids or previews)."""
    follows_seed: bool = False
    """All indices gave one and the same content when read with equal random numbers, and other
    content with others: the random numbers alone decide what comes back."""
    seeded: int = 0
    """Indices from all over the dataset that were read so for `follows_seed`."""


@dataclass(frozen=True)
class Contradiction:
    """A label (any number or short text) that differs between samples of the same content."""

    path: str
    example: tuple[int, int]
    """Two indices of the same content."""
    values: tuple[str, str]
    """What it is in these two."""
    samples: int
    """Samples in groups of the same content in which it differs."""


@dataclass(frozen=True)
class RepeatedContent:
    """Items that hold the same, read with equal random numbers."""

    compared: int
    """Indices that were read."""
    distinct: int
    """Different contents among them."""
    repeated: int
    """Indices whose content another index holds as well."""
    fields: tuple[str, ...]
    """Fields that make the content: those that two samples do not share by chance."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Indices of the same content, largest group first."""
    contradiction: Contradiction | None = None
    period: int | None = None
    """Items come again after so many indices, which explains all that are alike."""
    varies: bool = False
    """What is alike with equal random numbers differs with others: crops of one file, or augmentation."""


@dataclass(frozen=True)
class Emptied:
    """Samples without text or picture in one field of the run, read again with other random numbers."""

    path: str
    read: tuple[int, ...]
    """Indices that were read again, several times each."""
    filled: tuple[int, ...]
    """Those that did not hold the same each time: what they lacked was dropped at random."""


@dataclass(frozen=True)
class ProtocolEvidence:
    """Answers of the dataset to a few direct questions (map-style only, but for the lengths)."""

    length: int | None
    """``len(dataset)``."""
    length_error: str | None = None
    readable: int | None = None
    """Items that can be read before every later index raises IndexError; null if all can."""
    first_unreadable: Reading | None = None
    at_length: Reading | None = None
    """``dataset[len(dataset)]``."""
    at_minus_one: Reading | None = None
    """``dataset[-1]``; `same_as` tells whether it is the last item."""
    rereads: tuple[Reread, ...] = ()
    scatter: Scatter | None = None
    substituted: tuple[Substitution, ...] = ()
    read: int = 0
    """Indices that were read for `substituted`."""
    repeated: RepeatedContent | None = None
    """Null where no field holds enough to tell items apart."""
    rates: SampleRates | None = None
    """Null where no sound with a rate was read."""
    emptied: tuple[Emptied, ...] = ()
    plain_iteration_stops_at: int | None = None
    """Index at which ``for x in dataset`` would end quietly although items follow."""
    iterates_by_index: bool | None = None
    """``for x in dataset`` asks for 0, 1, 2, ... until IndexError, since the dataset has no
    ``__iter__`` of its own; null where that was not looked at."""
