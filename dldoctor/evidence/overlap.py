"""What two loaders have in common, item by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SampleId

How = Literal["index", "stored", "content", "file", "id", "number", "twin", "text", "part"]
"""By what items are held to be the same: index of one dataset, rows that the datasets hold, what reading them
gives, the files that are read for them, their own ids, numbers in a list of the datasets, index of two datasets
made alike (both with all else that can be compared); `text`: a text where the rest is drawn anew at each
read; `part`: one field or file alone, of items that differ in another one."""


@dataclass(frozen=True)
class SharedItems:
    """Items of the second loader that the first has too, told in one way."""

    how: How
    count: int
    """Items of the second side."""
    looked: tuple[int, int]
    """Items of each side that were looked at in this way."""
    pairs: tuple[tuple[SampleId, SampleId], ...] = ()
    """The first of them: the item of the first side, and that of the second."""
    fields: tuple[str, ...] = ()
    """Fields or attributes that are equal; empty for an index."""
    example: str = ""
    """A file, an id or a text that both have."""
    apart: tuple[str, ...] = ()
    """Fields in which the items differ, of a `part`."""
    brief: bool = False
    """What is equal is a short text or row, which two items may have by chance, or a number as id."""


@dataclass(frozen=True)
class OverlapEvidence:
    """Both sides."""

    items: tuple[int | None, int | None]
    """Different items that each loader draws; null of a stream without an end that is known."""
    read: tuple[int, int]
    """Items of each side whose contents were looked at."""
    same_source: bool = False
    """Every item of both sides is an index of the same datasets."""
    rows: tuple[str, ...] = ()
    """Attributes of the datasets whose rows were compared, of all items."""
    files: bool = False
    """The files that are read for each item alone were compared."""
    compared: tuple[str, ...] = ()
    """Fields whose contents could tell items apart and were compared."""
    drawn: tuple[str, ...] = ()
    """Fields that each read draws anew, which cannot be compared."""
    shared: tuple[SharedItems, ...] = ()
    """The surest first."""
