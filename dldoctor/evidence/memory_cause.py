"""What keeps the memory: containers that grew, what was allocated and never given back, what the dataset holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SourceRef


@dataclass(frozen=True)
class GrowingContainer:
    """A list, dict, cache or array reachable by name that grew with the samples read."""

    path: str
    """``dataset.cache``, ``data.SEEN``, ``collate_fn.rows``."""
    kind: str
    first_length: int
    last_length: int
    per_sample: float
    """Entries gained for each sample read."""
    role: Literal["main", "worker"]
    again: bool = True
    """It grew when the same indices were read again; false for a cache that then had them all."""
    put_at: SourceRef | None = None
    """The user's line that puts entries into it; null where that could not be told."""


@dataclass(frozen=True)
class GrowingType:
    """A type of which more and more objects live."""

    type: str
    first: int
    last: int


@dataclass(frozen=True)
class Allocation:
    """Python memory that was kept, by the place that asked for it."""

    where: SourceRef
    """The user's innermost frame."""
    kept_bytes: int
    blocks: int


@dataclass(frozen=True)
class GrowingLine:
    """A line of the user's at which resident memory rose; an indication, not a proof."""

    where: SourceRef
    rise_bytes: int
    text: str


@dataclass(frozen=True)
class MemoryCause:
    """Who keeps the memory: a second pass of its own, without workers."""

    samples: int
    rise_bytes: int
    """Growth of the process in that pass."""
    python_bytes: int
    """Part of it that Python's allocators know of; the rest is native."""
    types: tuple[GrowingType, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    lines: tuple[GrowingLine, ...] = ()
    lines_skipped: str | None = None
    """Why there is no answer line by line."""


@dataclass(frozen=True)
class Holding:
    """What one attribute of the dataset keeps in memory."""

    path: str
    """``dataset.rows``"""
    kind: str
    """Type of the container or array."""
    bytes: int
    """Estimated from a part where it is long."""
    objects: int
    """Python objects in it: those are copied page by page into each forked worker."""
    python_bytes: int
    """Bytes of those objects."""


@dataclass(frozen=True)
class NativeTrace:
    """A pass under memray, which sees the memory that libraries take as well."""

    file: str
    """Where the recording was written, for ``memray flamegraph --leaks`` and the like."""
    samples: int = 0
    kept: tuple[Allocation, ...] = ()
    """What was allocated while samples were read and not given back, the largest first."""
    skipped: str | None = None
    """Why there is no recording."""
