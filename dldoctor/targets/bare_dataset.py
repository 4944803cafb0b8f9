"""A loader for a dataset that was given without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dldoctor.errors import TargetError
from dldoctor.intent import LoaderOptions
from dldoctor.targets.collate import own_collate
from dldoctor.targets.found import FoundDataset
from dldoctor.targets.torch_loader import with_options
from dldoctor.targets.webdataset import batches_itself

BATCH_SIZE = 8
"""Samples in a batch where none was said."""


def load_dataset(found: FoundDataset, options: LoaderOptions, *, allow_script: bool = False) -> Any:
    """Return a DataLoader over the dataset: in order, in batches of 8, without workers, unless asked."""
    from torch.utils.data import DataLoader

    dataset = as_torch_dataset(found.dataset)
    collate: Callable[[list[Any]], Any] | None = None
    if options.collate is None:
        collate = found.collate if found.collate is not None else own_collate(found.dataset)
    size = None if batches_itself(dataset) else BATCH_SIZE
    loader: Any = DataLoader(dataset, batch_size=size, collate_fn=collate)
    return with_options(loader, options, allow_script=allow_script)


def as_torch_dataset(dataset: Any) -> Any:
    """Return the dataset in a form that DataLoader reads; most already are."""
    from torch.utils.data import IterableDataset

    if isinstance(dataset, IterableDataset):
        return dataset
    cls = type(dataset)
    if hasattr(cls, "__getitem__"):
        if hasattr(cls, "__len__") or hasattr(cls, "__getitems__"):
            return dataset
        raise TargetError(
            f"{cls.__name__} has `__getitem__` but no `__len__`, so nobody can tell which items there are; "
            "define `__len__`, or name a loader"
        )
    from dldoctor.targets.iterable_samples import IterableSamples, SizedIterableSamples

    return SizedIterableSamples(dataset) if hasattr(cls, "__len__") else IterableSamples(dataset)
