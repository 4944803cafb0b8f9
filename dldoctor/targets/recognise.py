"""What a target's object is: a loader, a dataset, several of them, or something to call."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from dldoctor.errors import SeveralLoadersError, TargetError
from dldoctor.foreign import attribute, has
from dldoctor.targets import huggingface, webdataset
from dldoctor.targets.arguments import call_target
from dldoctor.targets.choices import choices_of, is_certain, pick, several
from dldoctor.targets.found import Found, FoundDataset, FoundLoader
from dldoctor.targets.torch_loader import is_made, is_torch_loader
from dldoctor.targets.user_code import run_user_code
from dldoctor.targets.wrapped_loader import find_wrapped

_ACCEPTED = (
    "a loader, a dataset, a pair (dataset, collate), a dict of loaders, or a callable that returns one"
)
_LOADER_ATTRIBUTES = ("dataset", "batch_size", "batch_sampler", "num_workers")


def recognise(obj: Any, label: str, *, key: str | None = None, kwargs: dict[str, Any] | None = None) -> Found:
    """Call, choose and unwrap until a loader or a dataset is found."""
    if is_to_be_called(obj):
        made = call_target(obj, label, kwargs or {})
        return _recognise_made(made, f"{label}(...)" if kwargs else f"{label}()", key)
    if kwargs:
        names = ", ".join(f"`-k {k}`" for k in kwargs)
        raise TargetError(f"{names}: `{label}` is {_a(obj)}, which takes no arguments")
    return _recognise_made(obj, label, key)


def _recognise_made(obj: Any, label: str, key: str | None) -> Found:
    choices = choices_of(obj)
    if choices is not None:
        name, rest = pick(obj, choices, label, key)
        made = run_user_code(f"making the loader `{name}` of `{label}`", choices[name])
        try:
            return _recognise_made(made, f"{label}[{name}]", rest)
        except SeveralLoadersError as inner:
            # The names must be what `--loader` takes for the whole target.
            raise several(label, tuple(f"{name}.{n}" for n in inner.names)) from None
    found = _find(obj)
    if found is None:
        raise TargetError(f"`{label}` is {_a(obj)}; a target is {_ACCEPTED}")
    if key is not None:
        raise TargetError(f"`--loader {key}` picks from several loaders, but `{label}` is {_a(obj)}")
    return found


def _find(obj: Any) -> Found | None:
    """Return what one object is, the most specific reading first."""
    if isinstance(obj, type) or obj is None or _is_model(obj):
        return None
    accelerated = huggingface.find_accelerated(obj)
    if accelerated is not None:
        return accelerated
    if is_torch_loader(obj):
        return FoundLoader.plain(obj) if is_made(obj) else FoundLoader.opaque(obj)
    web_loader = webdataset.find_loader(obj)
    if web_loader is not None:
        return web_loader
    if _is_torch_dataset(obj):
        grouped = (
            find_wrapped(obj) if is_torch_loader(attribute(obj, "__dict__", {}).get("dataset")) else None
        )
        return grouped or FoundDataset(obj)
    wrapped = find_wrapped(obj)
    if wrapped is not None:
        return wrapped
    if _is_pair(obj):
        return FoundDataset(obj[0], obj[1], given="pair")
    if isinstance(obj, str | bytes | bytearray | set | frozenset | int | float | complex):
        return None
    return _find_by_methods(obj)


def _find_by_methods(obj: Any) -> Found | None:
    cls = type(obj)
    if isinstance(obj, Mapping):
        # A dict is a dataset only if it is read by number, as DataLoader would.
        return FoundDataset(obj) if len(obj) and all(isinstance(k, int) for k in obj) else None
    if isinstance(obj, list | tuple):
        return FoundDataset(obj) if _are_samples(obj) else None
    if hasattr(cls, "__getitem__") and hasattr(cls, "__len__"):
        return FoundDataset(obj)
    if hasattr(cls, "__next__"):
        return FoundLoader.opaque(obj)
    if hasattr(cls, "__iter__"):
        return FoundLoader.opaque(obj) if _looks_like_a_loader(obj) else FoundDataset(obj)
    return None


def _are_samples(items: list[Any] | tuple[Any, ...]) -> bool:
    # A tuple that a function returned is rather a batch, or several results, than a dataset.
    if isinstance(items, tuple) and items:
        return len({type(item) for item in items}) == 1 and not _is_tensor(items[0])
    return True


def _is_tensor(obj: Any) -> bool:
    import torch

    return isinstance(obj, torch.Tensor)


def _is_model(obj: Any) -> bool:
    from torch import nn

    return isinstance(obj, nn.Module)


def _is_torch_dataset(obj: Any) -> bool:
    from torch.utils.data import Dataset

    return isinstance(obj, Dataset)


def _is_pair(obj: Any) -> bool:
    if not isinstance(obj, tuple) or len(obj) != 2:
        return False
    dataset, collate = obj
    readable = is_certain(dataset) or has(type(dataset), "__getitem__") or isinstance(dataset, Iterable)
    return readable and not is_torch_loader(dataset) and (callable(collate) and not is_certain(collate))


def _looks_like_a_loader(obj: Any) -> bool:
    """Whether an iterable of unknown make yields batches rather than samples."""
    name = type(obj).__name__.lower()
    if "loader" in name or "batch" in name:
        return True
    return any(inspect.getattr_static(obj, a, None) is not None for a in _LOADER_ATTRIBUTES)


def is_to_be_called(obj: Any) -> bool:
    """Whether a target is a maker: a class or function, or a callable that is nothing else."""
    if inspect.isclass(obj) or inspect.isroutine(obj):
        return True
    if not callable(obj) or _is_model(obj) or choices_of(obj) is not None:
        return False
    return _find(obj) is None


def _a(obj: Any) -> str:
    name = obj.__name__ if isinstance(obj, type) else type(obj).__name__
    if isinstance(obj, type):
        return f"the class {name}"
    if inspect.isfunction(obj):
        return f"the function {obj.__name__}"
    if isinstance(obj, tuple | list) and not has(obj, "_fields"):
        inside = ", ".join(type(item).__name__ for item in obj[:4]) + (", ..." if len(obj) > 4 else "")
        return f"a {name} of ({inside})"
    if isinstance(obj, Mapping):
        inside = ", ".join(str(k) for k in list(obj)[:6]) + (", ..." if len(obj) > 6 else "")
        return f"a {name} with the keys {inside}" if inside else f"an empty {name}"
    return "None" if obj is None else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
