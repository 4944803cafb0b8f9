"""Lets arrays and images that a dataset keeps in memory give test cards. What is kept does not change.

Use it only in a process made for a probe: attributes are replaced by views and copies that give cards.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.alignment.cards import axes_of, card_of, is_picture
from dldoctor.probes.arrays import is_array, shape_of
from dldoctor.targets.describe import bare

OBJECTS = 500
DEPTH = 5
LOOKED_AT = 4
"""Items of a container that tell what it holds."""


class CardList(list[Any]):
    """A list that gives cards in place of its pictures."""

    def __getitem__(self, key: Any) -> Any:
        """Return an item with cards, or a part that gives them."""
        found = super().__getitem__(key)
        return CardList(found) if isinstance(key, slice) else with_cards(found)

    def __iter__(self) -> Iterator[Any]:
        """Yield items with cards."""
        return (with_cards(one) for one in super().__iter__())


class CardDict(dict[Any, Any]):
    """A dict that gives cards in place of its pictures."""

    def __getitem__(self, key: Any) -> Any:
        """Return a value with cards."""
        return with_cards(super().__getitem__(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """Return a value with cards."""
        return with_cards(super().get(key, default))


def with_cards(value: Any) -> Any:
    """Return a value with cards in place of the pictures that it is or holds directly."""
    if is_picture(value):
        return card_of(value)
    if type(value) is tuple:
        return tuple(with_cards(one) for one in value)
    if isinstance(value, tuple) and has(value, "_fields"):
        return type(value)(*(with_cards(one) for one in value))
    if type(value) is list:
        return [with_cards(one) for one in value] if _holds(value) else value
    return {key: with_cards(one) for key, one in value.items()} if type(value) is dict else value


def exchange(dataset: Any) -> list[str]:
    """Replace what holds pictures below a dataset; return the paths."""
    replaced = list[str]()
    waiting = deque([("dataset", bare(dataset), 0)])
    seen: dict[int, Any] = {}
    while waiting and len(seen) < OBJECTS:
        path, owner, depth = waiting.popleft()
        state = attribute(owner, "__dict__", None)
        if id(owner) in seen or not isinstance(state, dict) or isinstance(owner, type):
            continue
        seen[id(owner)] = owner
        for name, value in list(state.items()):
            other = _giving_cards(value)
            if other is not value:
                state[name] = other
                replaced.append(f"{path}.{name}")
            elif depth < DEPTH:
                inner = value if isinstance(value, (list, tuple)) else [value]
                waiting.extend((f"{path}.{name}", one, depth + 1) for one in inner[:LOOKED_AT])
    return replaced


def _giving_cards(value: Any) -> Any:
    """Return what stands for a value and gives cards; the value itself where it holds no pictures."""
    if is_array(value):
        return _array(value) if _is_stack(value) else value
    if isinstance(value, tuple) and any(is_array(one) and _is_stack(one) for one in value):
        items = [_giving_cards(one) for one in value]
        return type(value)(*items) if has(value, "_fields") else tuple(items)
    if type(value) is list and _holds(value):
        return CardList(value)
    if type(value) is dict:
        if _holds(list(value.values())[:LOOKED_AT]):
            # Arrays with a row for each item give cards row by row.
            stacks = {key: _giving_cards(one) for key, one in value.items()}
            changed = any(stacks[key] is not one for key, one in value.items())
            return stacks if changed else CardDict(value)
        return value
    return value


def _holds(items: Any) -> bool:
    """Whether the first items of a list are or hold pictures."""
    return any(_has_picture(one) for one in items[:LOOKED_AT])


def _has_picture(value: Any, depth: int = 0) -> bool:
    if is_picture(value) or (is_array(value) and _is_stack(value)):
        return True
    if depth > 1:
        return False
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(_has_picture(one, depth + 1) for one in list(parts)[:16])


def _is_stack(value: Any) -> bool:
    """Whether the rows of an array are pictures."""
    shape = shape_of(value) or ()
    return len(shape) in (3, 4, 5) and axes_of(shape[1:]) is not None


def _array(value: Any) -> Any:
    """Return a view of the same memory whose rows are given as cards."""
    if type(value).__module__.partition(".")[0] == "torch":
        return value.as_subclass(_card_tensor())
    import numpy as np

    return np.asarray(value).view(_card_array())


def _card_tensor() -> Any:
    import torch

    class CardTensor(torch.Tensor):
        """A tensor whose rows are given as cards."""

        __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]  # noqa: SLF001 - the documented way to plain results

        def __getitem__(self, key: Any) -> Any:
            return card_of(self.as_subclass(torch.Tensor)[key])

    return CardTensor


def _card_array() -> Any:
    numpy = sys.modules["numpy"]

    class CardArray(numpy.ndarray):  # type: ignore[misc,name-defined]
        """An array whose rows are given as cards."""

        def __getitem__(self, key: Any) -> Any:
            return card_of(numpy.asarray(self)[key])

    return CardArray
