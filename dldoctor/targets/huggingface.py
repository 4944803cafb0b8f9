"""Hugging Face: Trainer, and the loaders that accelerate wraps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.targets.found import FoundLoader
from dldoctor.targets.torch_loader import copy_object, is_made, is_torch_loader


def is_trainer(obj: Any) -> bool:
    """Whether the object makes loaders as `transformers.Trainer` does."""
    return callable(attribute(type(obj), "get_train_dataloader", None))


def trainer_loaders(trainer: Any) -> dict[str, Callable[[], Any]]:
    """Return what makes each loader of a Trainer: ``train``, ``eval``, or ``eval.NAME`` for several."""
    makers: dict[str, Callable[[], Any]] = {}
    if getattr(trainer, "train_dataset", None) is not None:
        makers["train"] = trainer.get_train_dataloader
    evaluation = getattr(trainer, "eval_dataset", None)
    if isinstance(evaluation, Mapping) and not has(type(evaluation), "__getitems__"):
        for key in evaluation:
            makers[f"eval.{key}"] = functools.partial(trainer.get_eval_dataloader, key)
    elif evaluation is not None:
        makers["eval"] = trainer.get_eval_dataloader
    return makers


def find_accelerated(obj: Any) -> FoundLoader | None:
    """Return the loader inside an accelerate wrapper, which only claims to be a DataLoader itself."""
    inner = attribute(obj, "__dict__", {}).get("base_dataloader")
    if not is_torch_loader(inner) or not is_made(inner):
        return None

    def rewrap(fresh: Any) -> Any:
        twin = copy_object(obj)
        vars(twin)["base_dataloader"] = fresh
        return twin

    return FoundLoader(obj, inner, rewrap)
