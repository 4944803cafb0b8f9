"""What a target turned out to be, before loader options are applied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


def _keep(outer: Any) -> Callable[[Any], Any]:
    return lambda _inner: outer


@dataclass(frozen=True)
class FoundLoader:
    """Something that yields batches."""

    outer: Any
    """What the user iterates."""
    inner: Any | None
    """The torch DataLoader that it is, or that it stands around; null where there is none to see."""
    rewrap: Callable[[Any], Any]
    """Return a copy of `outer` that stands around another inner loader."""

    @classmethod
    def plain(cls, loader: Any) -> FoundLoader:
        """Return what a torch DataLoader without a wrapper is."""
        return cls(loader, loader, lambda inner: inner)

    @classmethod
    def opaque(cls, batches: Any) -> FoundLoader:
        """Return what an iterable is of which only the batches can be seen."""
        return cls(batches, None, _keep(batches))


@dataclass(frozen=True)
class FoundDataset:
    """Something that holds or yields samples."""

    dataset: Any
    collate: Callable[[list[Any]], Any] | None = None
    given: Literal["dataset", "pair"] = "dataset"


Found = FoundLoader | FoundDataset
