"""torch DataLoader and its subclasses: copy, change settings, build."""

from __future__ import annotations

import copy
from typing import Any

from dldoctor.errors import TargetError
from dldoctor.foreign import has
from dldoctor.intent import LoaderOptions
from dldoctor.targets.batches import set_batches
from dldoctor.targets.collate import collate_by_option

_STATE = (
    "dataset",
    "batch_size",
    "batch_sampler",
    "sampler",
    "drop_last",
    "collate_fn",
    "num_workers",
    "generator",
)


def is_torch_loader(obj: Any) -> bool:
    """Whether the object's own type is a DataLoader (accelerate's wrapper only claims to be one)."""
    from torch.utils.data import DataLoader

    return isinstance(obj, object) and issubclass(type(obj), DataLoader)


def is_made(loader: Any) -> bool:
    """Whether torch's constructor ran: a subclass may skip it and serve batches of its own."""
    return all(name in vars(loader) for name in _STATE)


def copy_object(obj: Any) -> Any:
    """Return a shallow copy made without the object's own methods, or the object if that fails."""
    if not has(obj, "__dict__"):
        return obj
    try:
        twin = object.__new__(type(obj))
    except TypeError:
        return _copy_by_protocol(obj)
    vars(twin).update(vars(obj))
    for slot in _slots(type(obj)):
        if has(obj, slot):
            object.__setattr__(twin, slot, getattr(obj, slot))
    return twin


def _copy_by_protocol(obj: Any) -> Any:
    try:
        return copy.copy(obj)
    except Exception:  # noqa: BLE001 - the user's own class decides what copying means
        return obj


def _slots(cls: type) -> list[str]:
    names: list[str] = []
    for base in cls.__mro__:
        declared = base.__dict__.get("__slots__", ())
        names += [declared] if isinstance(declared, str) else list(declared)
    return [n for n in names if n not in ("__dict__", "__weakref__")]


def copy_loader(loader: Any) -> Any:
    """Return a shallow copy that has no iterator yet, so that workers kept by the original stay there."""
    twin = copy_object(loader)
    if twin is not loader:
        vars(twin)["_iterator"] = None
    return twin


def with_options(loader: Any, options: LoaderOptions, *, allow_script: bool = False) -> Any:
    """Return a copy of a DataLoader with the given settings; the original does not change.

    The settings are written into the copy's ``vars()``: DataLoader refuses to set some of them once
    it is made, and a subclass need not have the parameters of its parent.
    """
    twin = copy_loader(loader)
    if not options.chosen():
        return twin
    check_options(options)
    if twin is loader or _keeps_iterator(loader):
        kept = "cannot be copied" if twin is loader else "made its iterator when it was created"
        raise TargetError(
            f"the settings of this {type(loader).__name__} cannot be changed, because it {kept}; "
            "name its dataset instead"
        )
    state = vars(twin)
    if options.collate is not None:
        state["collate_fn"] = collate_by_option(options.collate, allow_script=allow_script)
    set_batches(state, options, allow_script=allow_script)
    _set_workers(state, options)
    if options.pin_memory is not None:
        state["pin_memory"] = options.pin_memory
    return twin


def check_options(options: LoaderOptions) -> None:
    """Raise where settings are impossible in themselves."""
    for name, least in (("batch_size", 1), ("num_workers", 0), ("prefetch_factor", 1)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise TargetError(f"`--{name.replace('_', '-')} {value}` is impossible; the least is {least}")
    if options.sampler is not None and options.shuffle:
        raise TargetError("`--sampler` and `--shuffle` both decide the order; give one of them")


def _keeps_iterator(loader: Any) -> bool:
    """Whether a subclass holds an iterator of its own, which no later setting reaches."""
    from torch.utils.data import dataloader

    base = dataloader._BaseDataLoaderIter  # noqa: SLF001  # torch has no public name for it
    return any(isinstance(v, base) for key, v in vars(loader).items() if key != "_iterator")


def is_stream(loader: Any) -> bool:
    """Whether a DataLoader reads a stream: torch then asks its dataset for an iterator, not for indices."""
    from torch.utils.data import IterableDataset

    return isinstance(loader.dataset, IterableDataset)


def _set_workers(state: dict[str, Any], options: LoaderOptions) -> None:
    """Set the workers; without any, what only workers use is cleared, as the constructor asks for."""
    import torch

    workers = options.num_workers if options.num_workers is not None else state["num_workers"]
    state["num_workers"] = workers
    if workers == 0:
        for name in ("prefetch_factor", "persistent_workers", "start_method"):
            if getattr(options, name):
                raise TargetError(
                    f"`--{name.replace('_', '-')}` needs workers, and this loader has none; add `--num-workers 2`"
                )
        state.update(prefetch_factor=None, persistent_workers=False, timeout=0)
        state["_DataLoader__multiprocessing_context"] = None
        return
    if options.prefetch_factor is not None:
        state["prefetch_factor"] = options.prefetch_factor
    elif state.get("prefetch_factor") is None:
        state["prefetch_factor"] = 2
    if options.persistent_workers is not None:
        state["persistent_workers"] = options.persistent_workers
    if options.start_method is not None:
        known = torch.multiprocessing.get_all_start_methods()
        if options.start_method not in known:
            raise TargetError(f"`--start-method {options.start_method}` does not exist here; try {known[0]}")
        context = torch.multiprocessing.get_context(options.start_method)
        state["_DataLoader__multiprocessing_context"] = context
