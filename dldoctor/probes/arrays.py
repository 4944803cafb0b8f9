"""What counts as an array: a tensor, an ndarray, or what stands in for one."""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import attribute, has

_KNOWN = {"torch", "numpy"}
"""Packages whose arrays have a shape at any time."""


def is_array(value: Any) -> bool:
    """Whether a value has a dtype and a shape, by its type.

    The type is asked first: a class (a subclass of Tensor, say) is no array, and no property of an
    object that we don't know is called. What should have a shape and can't give it (a file that was
    closed) is no array either.
    """
    kind = type(value)
    if not (has(kind, "dtype") and has(kind, "shape")):
        return False
    return kind.__module__.partition(".")[0] in _KNOWN or shape_of(value) is not None


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array as numbers; null where it has none to give."""
    try:
        return tuple(int(side) for side in attribute(value, "shape", None))
    except (TypeError, ValueError):
        return None


def unboxed(leaf: Any) -> Any:
    """Return what an array without axes holds; any other leaf as it is."""
    return leaf.item() if attribute(leaf, "shape") == () and has(leaf, "item") else leaf
