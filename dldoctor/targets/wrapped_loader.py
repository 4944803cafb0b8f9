"""Loaders that stand around a torch DataLoader: prefetchers, groupers, mixers."""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.targets.found import FoundLoader
from dldoctor.targets.torch_loader import copy_object, is_made, is_torch_loader


def find_wrapped(obj: Any) -> FoundLoader | None:
    """Return the loader inside an iterable that keeps exactly one DataLoader as an attribute."""
    if not has(type(obj), "__iter__"):
        return None
    values = attribute(obj, "__dict__", {})
    holding = [key for key, value in values.items() if is_torch_loader(value) and is_made(value)]
    if len({id(values[key]) for key in holding}) != 1:
        return None

    def rewrap(fresh: Any) -> Any:
        twin = copy_object(obj)
        for key in holding:
            vars(twin)[key] = fresh
        return twin

    return FoundLoader(obj, values[holding[0]], rewrap)
