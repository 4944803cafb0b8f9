"""Two targets in one process, as a training script has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.intent import TargetOptions
from dldoctor.targets.address import parse_address
from dldoctor.targets.arguments import call_target, parse_kwargs
from dldoctor.targets.lightning import is_data_module
from dldoctor.targets.pipeline import Pipeline
from dldoctor.targets.recognise import is_to_be_called
from dldoctor.targets.resolve import from_object, named, resolve


def beside(first: TargetOptions, loaded: Pipeline, second: TargetOptions) -> tuple[Pipeline, Pipeline]:
    """Return two targets, of which `loaded` is the first.

    Loaders that one call returns are taken from one call: a split that it draws at random belongs to both.
    """
    address = parse_address(first.spec)
    one_maker = (first.spec, first.kwargs) == (second.spec, second.kwargs)
    if not one_maker or address.config is not None or address.name is None:
        return loaded, resolve(second)
    obj = named(first)
    if is_to_be_called(obj):
        obj = call_target(obj, address.name, parse_kwargs(first.kwargs))
    one = from_object(obj, replace(first, kwargs=()))
    if is_data_module(obj) and "test" not in (second.loader_key or ""):
        _set_up_already(obj)
    return one, from_object(obj, replace(second, kwargs=()))


def _set_up_already(module: Any) -> None:
    """Let a data module keep what its `setup` made: a trainer calls that once for training and validation."""
    for hook in ("prepare_data", "setup"):
        if callable(attribute(module, hook, None)):
            setattr(module, hook, lambda *_stage: None)
