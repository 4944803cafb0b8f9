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
