"""Which function makes a batch of samples."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dldoctor.errors import TargetError
from dldoctor.targets.arguments import missing_arguments, takes_one
from dldoctor.targets.named_object import find_object
from dldoctor.targets.user_code import run_user_code

_OWN_NAMES = ("collate_fn", "collater", "collate")


def collate_by_option(text: str, *, allow_script: bool = False) -> Callable[[list[Any]], Any]:
    """Return the function that ``--collate FILE:NAME`` names, or makes when called without arguments."""
    found = find_object(text, option="--collate", allow_script=allow_script)
    if not callable(found):
        raise TargetError(f"`--collate {text}` names a {type(found).__name__}, which cannot be called")
    makes_one = inspect.isclass(found) or (
        missing_arguments(found, frozenset()) == [] and not takes_one(found)
    )
    if makes_one:
        missing = missing_arguments(found, frozenset())
        if missing:
            raise TargetError(
                f"`--collate {text}` names a class that needs {', '.join(f'`{m}`' for m in missing)}; "
                "name an instance, or a function without arguments that makes one"
            )
        found = run_user_code(f"calling `{text}`", found)
    if not callable(found):
        raise TargetError(f"`{text}` returned a {type(found).__name__}, not a collate function")
    collate: Callable[[list[Any]], Any] = found
    return collate


def own_collate(dataset: Any) -> Callable[[list[Any]], Any] | None:
    """Return the collate that a dataset brings along, looked for below `random_split` and subsets."""
    from torch.utils.data import Subset

    while isinstance(dataset, Subset):
        dataset = dataset.dataset
    for name in _OWN_NAMES:
        # The class is asked first: an object that answers to every name has none of these.
        if inspect.getattr_static(dataset, name, None) is None:
            continue
        collate: Callable[[list[Any]], Any] | None = run_user_code(
            f"reading `{name}` of the dataset", functools.partial(getattr, dataset, name, None)
        )
        if callable(collate) and takes_one(collate):
            return collate
    return None


def is_default_collate(collate: Any) -> bool:
    """Whether a collate function is torch's own."""
    from torch.utils.data import default_collate, default_convert

    return collate is default_collate or collate is default_convert
