"""Lightning: data modules, and modules that make their own loaders.

Recognised by the name of a base class, under either package name (`lightning`, `pytorch_lightning`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.targets.arguments import takes_one

_STAGES = {"train": "fit", "val": "fit", "test": "test", "predict": "predict"}
_BASES = ("LightningDataModule", "LightningModule")


def is_data_module(obj: Any) -> bool:
    """Whether the object has the hooks of a Lightning data module."""
    return any(c.__name__ in _BASES for c in type(obj).__mro__)


def is_combined(obj: Any) -> bool:
    """Whether the object is Lightning's CombinedLoader, which iterates several loaders together."""
    return type(obj).__name__ == "CombinedLoader" and has(obj, "iterables")


def module_loaders(module: Any) -> dict[str, Callable[[], Any]]:
    """Return what makes each loader: the hooks, in the order in which a trainer calls them."""
    return {
        name: functools.partial(_make, module, name)
        for name in _STAGES
        if _is_overridden(module, f"{name}_dataloader")
    }


def _make(module: Any, name: str) -> Any:
    for hook in (attribute(module, "prepare_data", None), attribute(module, "setup", None)):
        if callable(hook):
            # `setup` takes the stage; older user code defines it without.
            hook(_STAGES[name]) if takes_one(hook) else hook()
    return getattr(module, f"{name}_dataloader")()


def _is_overridden(module: Any, hook: str) -> bool:
    """Whether the user's class defines a hook, and not only Lightning's own base."""
    for cls in type(module).__mro__:
        if hook in vars(cls):
            return cls.__module__.partition(".")[0] not in ("lightning", "pytorch_lightning")
    return inspect.getattr_static(module, hook, None) is not None
