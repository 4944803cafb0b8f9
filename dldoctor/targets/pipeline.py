"""The live objects that the probes run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.loader import LoaderSpec


@dataclass(frozen=True)
class Pipeline:
    """A target, ready to be iterated. Nothing in it was iterated yet."""

    loader: Any
    """What the consumer iterates: our shallow copy of the user's loader, or one that we made."""
    torch_loader: Any | None
    """The torch DataLoader (or subclass) inside, whose dataset and collate can be swapped by writing
    into its ``vars()``; `loader` itself, unless a wrapper stands around it. Null where only batches
    can be seen."""
    dataset: Any | None
    """``torch_loader.dataset``."""
    spec: LoaderSpec
    """The settings, as data."""
    asks: str | None = None
    """Type of what the sampler hands to ``__getitem__``, where that is not one int."""

    @property
    def by_index(self) -> bool:
        """Whether items can be read by an int of our choice, as the loader itself reads them."""
        return self.spec.kind == "map" and self.asks is None

    @property
    def no_index(self) -> str:
        """Why no item is read by an index of our choice."""
        if self.asks is not None:
            return f"the sampler hands a {self.asks} to `__getitem__`: none is read by an int that it would not give"
        return "a stream has no indices to ask for"
