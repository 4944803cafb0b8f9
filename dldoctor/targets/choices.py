"""Several loaders in one target: a dict, a tuple, a data module, a Trainer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from dldoctor.errors import SeveralLoadersError, TargetError, nearest
from dldoctor.foreign import attribute, has
from dldoctor.targets import huggingface, lightning
from dldoctor.targets.hydra_config import Parts
from dldoctor.targets.torch_loader import is_torch_loader
from dldoctor.targets.wrapped_loader import find_wrapped

Choices = dict[str, Callable[[], Any]]
_MANY = 50
"""A longer list of datasets is data, not a choice."""


def choices_of(obj: Any) -> Choices | None:
    """Return the loaders of an object that holds several (or is made to), by name; null for others."""
    if isinstance(obj, type):
        return None
    if isinstance(obj, Parts):
        return dict(obj)
    if huggingface.is_trainer(obj):
        return huggingface.trainer_loaders(obj)
    if lightning.is_data_module(obj):
        return lightning.module_loaders(obj)
    if lightning.is_combined(obj):
        return choices_of(obj.iterables)
    if isinstance(obj, Mapping):
        return _certain_of({str(k): v for k, v in obj.items() if isinstance(k, str)})
    if isinstance(obj, tuple | list) and len(obj) <= _MANY and not _is_pair_like(obj):
        names = attribute(obj, "_fields", range(len(obj)))
        return _certain_of({str(n): v for n, v in zip(names, obj, strict=True)})
    return None


def pick(obj: Any, choices: Choices, label: str, key: str | None) -> tuple[str, str | None]:
    """Return the chosen name and the rest of a dotted key (``val.clean``)."""
    names = tuple(choices)
    if not names:
        raise TargetError(f"`{label}` has no loader: it has neither data for training nor for evaluation")
    if key is None:
        # What a trainer trains on is meant where nothing is said; a dict has no such order.
        if len(names) == 1 or huggingface.is_trainer(obj) or lightning.is_data_module(obj):
            return names[0], None
        raise several(label, names)
    if key in choices:
        return key, None
    head, dot, rest = key.partition(".")
    if dot and head in choices:
        return head, rest
    below = tuple(n for n in names if n.startswith(key + "."))
    if len(below) == 1:
        return below[0], None
    if below:
        raise several(label, below)
    guess = nearest(key, names)
    raise TargetError(f"no loader `{key}` in `{label}`{guess or f'; it has {_listed(names)}'}")


def several(label: str, names: tuple[str, ...]) -> SeveralLoadersError:
    """Return the error that asks for one of these names."""
    message = f"`{label}` has several loaders: {_listed(names)}; pick one with `--loader NAME`"
    return SeveralLoadersError(message, names)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def is_certain(obj: Any) -> bool:
    """Whether an object is a loader or a dataset by its type, and not only readable like one."""
    from torch.utils.data import Dataset

    if isinstance(obj, type):
        return False
    if is_torch_loader(obj) or isinstance(obj, Dataset) or has(type(obj), "__getitems__"):
        return True
    if huggingface.is_trainer(obj) or lightning.is_data_module(obj):
        return True
    if huggingface.find_accelerated(obj) is not None or find_wrapped(obj) is not None:
        return True
    # Loaders of other libraries (grain, DALI, ...) have nothing in common but their name.
    return has(type(obj), "__iter__") and "loader" in type(obj).__name__.lower()


def _certain_of(named: dict[str, Any]) -> Choices | None:
    """Return the entries that are loaders or hold some; null where there are none."""
    found = {n: v for n, v in named.items() if is_certain(v) or (isinstance(v, Mapping) and choices_of(v))}
    return {name: functools.partial(_itself, value) for name, value in found.items()} or None


def _itself(value: Any) -> Any:
    return value


def _is_pair_like(obj: tuple[Any, ...] | list[Any]) -> bool:
    if not isinstance(obj, tuple) or len(obj) != 2 or is_torch_loader(obj[0]):
        return False
    return callable(obj[1]) and not is_certain(obj[1])
