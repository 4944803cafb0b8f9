"""The settings of a live loader, as data."""

from __future__ import annotations

import multiprocessing
from typing import Any, Literal

from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute, has
from dldoctor.targets.collate import is_default_collate
from dldoctor.targets.samplers import chain_of, outermost, sampler_facts
from dldoctor.targets.source_ref import name_of, source_of
from dldoctor.targets.torch_loader import is_stream

Given = Literal["loader", "dataset", "pair"]


def describe_outside(loader: Any, given: Given, chosen: tuple[str, ...]) -> LoaderSpec:
    """Describe an iterable of which only the batches can be seen."""
    dataset = _readable(loader, "dataset")
    size = _readable(loader, "batch_size")
    return LoaderSpec(
        kind="batches",
        view="outside",
        loader_type=name_of(loader),
        dataset_type=name_of(dataset) if dataset is not None else "",
        given=given,
        chosen=chosen,
        dataset_length=_length(dataset),
        loader_length=_length(loader),
        batch_size=size if isinstance(size, int) else None,
        dataset_ref=source_of(dataset if dataset is not None else loader),
    )


def describe(outer: Any, loader: Any, given: Given, chosen: tuple[str, ...]) -> LoaderSpec:
    """Describe a torch DataLoader and what stands around it."""
    streams = is_stream(loader)
    dataset = bare(loader.dataset)
    order = sampler_facts(loader, streams=streams)
    batch_size, drop_last = _batching(loader)
    default = is_default_collate(loader.collate_fn)
    return LoaderSpec(
        kind="iterable" if streams else "map",
        loader_type=name_of(outer),
        dataset_type=name_of(dataset),
        given=given,
        chosen=chosen,
        dataset_length=_length(dataset),
        loader_length=_loader_length(outer, loader),
        batch_size=batch_size,
        drop_last=drop_last,
        shuffle=order.shuffle,
        replacement=order.replacement,
        sampler_weights=order.weights,
        sampler=None if streams else name_of(_drawn_by(loader)),
        batch_sampler=None if streams or loader.batch_sampler is None else name_of(loader.batch_sampler),
        num_workers=loader.num_workers,
        prefetch_factor=loader.prefetch_factor if loader.num_workers else None,
        pin_memory=bool(loader.pin_memory),
        persistent_workers=bool(loader.persistent_workers),
        in_order=bool(attribute(loader, "in_order", True)),
        timeout_s=float(loader.timeout),
        start_method=_start_method(loader.multiprocessing_context),
        default_collate=default,
        collate=name_of(loader.collate_fn),
        dataset_ref=_dataset_ref(dataset),
        collate_ref=None if default else source_of(loader.collate_fn),
        sampler_ref=None if streams else _sampler_ref(loader),
        world_size=max(order.world_size, _group_size()),
    )


def bare(dataset: Any) -> Any:
    """Return the user's dataset without what torch or dldoctor put around it to read it as a stream."""
    from torch.utils.data import IterDataPipe

    inner = attribute(dataset, "__dict__", {})
    if isinstance(dataset, IterDataPipe) and "_datapipe" in inner:
        return inner["_datapipe"]
    if type(dataset).__module__ == "dldoctor.targets.iterable_samples":
        return inner["samples"]
    return dataset


def _batching(loader: Any) -> tuple[int | None, bool]:
    from torch.utils.data import BatchSampler

    if loader.batch_size is None and type(loader.batch_sampler) is BatchSampler:
        return loader.batch_sampler.batch_size, bool(loader.batch_sampler.drop_last)
    return loader.batch_size, bool(loader.drop_last)


def _dataset_ref(dataset: Any) -> SourceRef | None:
    """Return the place of the innermost dataset: splits and concatenations are torch's own."""
    from torch.utils.data import ConcatDataset, Subset

    while isinstance(dataset, Subset | ConcatDataset):
        if isinstance(dataset, Subset):
            dataset = dataset.dataset
        elif dataset.datasets:
            dataset = dataset.datasets[0]
        else:
            break
    return source_of(dataset)


def _sampler_ref(loader: Any) -> SourceRef | None:
    chain = chain_of(outermost(loader))
    return next((known for one in chain if (known := source_of(one)) is not None), None)


def _drawn_by(loader: Any) -> Any:
    """Return what draws the indices.

    Beside a batch sampler given by hand the loader has a sampler that nobody asks: that one holds its own,
    or draws by itself.
    """
    if loader.batch_sampler is None:
        return loader.sampler
    held = _readable(loader.batch_sampler, "sampler")
    return loader.batch_sampler if held is None else held


def _length(obj: Any) -> int | None:
    if obj is None or not has(type(obj), "__len__"):
        return None
    try:
        return len(obj)
    except Exception:  # noqa: BLE001 - the user's own `__len__`; told when the data is read
        return None


def _loader_length(outer: Any, loader: Any) -> int | None:
    # torch remembers that a stream's length was asked for, and warns later; so put that back.
    state = vars(loader)
    remembered = state.get("_IterableDataset_len_called")
    length = _length(outer)
    if "_IterableDataset_len_called" in state:
        state["_IterableDataset_len_called"] = remembered
    return length


def _readable(obj: Any, name: str) -> Any:
    try:
        return attribute(obj, name, None)
    except Exception:  # noqa: BLE001 - a property of the user's
        return None


def _start_method(context: Any) -> str:
    if context is not None:
        return str(context.get_start_method())
    # Asking for the default would fix it for the rest of the process; the first listed one is it.
    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]


def _group_size() -> int:
    import torch.distributed

    initialised = torch.distributed.is_available() and torch.distributed.is_initialized()
    return torch.distributed.get_world_size() if initialised else 1
