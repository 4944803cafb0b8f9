"""A torch stream around any iterable of samples.

The class must be a real subclass at module level, so that workers can unpickle it; therefore this is
the one file here that imports torch at its top. Import it inside functions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data import IterableDataset


class IterableSamples(IterableDataset[Any]):
    """The samples of an object that has ``__iter__`` but is not a torch dataset."""

    def __init__(self, samples: Iterable[Any]) -> None:
        """Keep the object; it is asked for an iterator in each worker and epoch."""
        self.samples = samples

    def __iter__(self) -> Iterator[Any]:
        """Return the object's own iterator."""
        return iter(self.samples)


class SizedIterableSamples(IterableSamples):
    """The same, for an object that states its length."""

    def __len__(self) -> int:
        """Return the length that the object states."""
        return len(self.samples)  # type: ignore[arg-type]  # only made around objects with __len__
