"""From a target to a live pipeline."""

from __future__ import annotations

import functools
import inspect
from dataclasses import replace
from typing import Any

from dldoctor.errors import TargetError
from dldoctor.finding import SourceRef
from dldoctor.foreign import has
from dldoctor.intent import TargetOptions
from dldoctor.targets.address import parse_address
from dldoctor.targets.arguments import parse_kwargs
from dldoctor.targets.bare_dataset import load_dataset
from dldoctor.targets.describe import describe, describe_outside
from dldoctor.targets.found import FoundDataset, FoundLoader
from dldoctor.targets.hydra_config import made_from_config
from dldoctor.targets.importing import import_holder
from dldoctor.targets.listing import choose_target
from dldoctor.targets.named_object import find_name
from dldoctor.targets.pipeline import Pipeline
from dldoctor.targets.recognise import recognise
from dldoctor.targets.source_ref import source_of
from dldoctor.targets.torch_loader import copy_object, with_options


def resolve(options: TargetOptions) -> Pipeline:
    """Import the target, find its name, call and unwrap it, and apply the loader options.

    Raises `TargetError` with one sentence where that cannot be done. Nothing is iterated.
    """
    address = parse_address(options.spec)
    if address.config is not None:
        made = made_from_config(address, options.kwargs)
        return _pipeline(made, address.holder, replace(options, kwargs=()))
    kwargs = parse_kwargs(options.kwargs)
    module = import_holder(address, allow_script=options.allow_script)
    name = address.name or choose_target(module, address.holder, frozenset(kwargs))
    return _pipeline(find_name(module, address.holder, name), name, options)


def named(options: TargetOptions) -> Any:
    """Return the object that a target names, before it is called; the module where it names none.

    A configuration has no code of its own: null.
    """
    address = parse_address(options.spec)
    if address.config is not None:
        return None
    module = import_holder(address, allow_script=options.allow_script)
    return find_name(module, address.holder, address.name) if address.name else module


def from_object(obj: Any, options: TargetOptions) -> Pipeline:
    """Do the same for a live object; the object itself does not change."""
    return _pipeline(obj, options.spec or type(obj).__name__, options)


def _pipeline(obj: Any, label: str, options: TargetOptions) -> Pipeline:
    found = recognise(obj, label, key=options.loader_key, kwargs=parse_kwargs(options.kwargs))
    if isinstance(found, FoundDataset):
        loader = load_dataset(found, options.loader, allow_script=options.allow_script)
        spec = describe(loader, loader, found.given, options.loader.chosen())
        return Pipeline(loader, loader, loader.dataset, spec)
    if found.inner is None:
        return _outside(found, label, options)
    inner = with_options(found.inner, options.loader, allow_script=options.allow_script)
    outer = found.rewrap(inner)
    spec = describe(outer, inner, "loader", options.loader.chosen())
    return Pipeline(outer, inner, inner.dataset, replace(spec, made_ref=_maker(obj)))


def _maker(obj: Any) -> SourceRef | None:
    """Return the place of the function or class that was called; a live loader does not tell who made it."""
    called = inspect.isroutine(obj) or inspect.isclass(obj) or isinstance(obj, functools.partial)
    return source_of(obj) if called else None


def _outside(found: FoundLoader, label: str, options: TargetOptions) -> Pipeline:
    chosen = options.loader.chosen()
    if chosen:
        given = ", ".join(f"`--{name.replace('_', '-')}`" for name in chosen)
        raise TargetError(
            f"{given}: `{label}` is {type(found.outer).__name__}, of which only the batches can be seen, so "
            "its settings cannot be changed; name its dataset instead"
        )
    # An iterator is used up by whoever reads it; a copy would share that state, so it is taken as it is.
    loader = found.outer if has(type(found.outer), "__next__") else copy_object(found.outer)
    return Pipeline(loader, None, None, describe_outside(loader, "loader", chosen))
