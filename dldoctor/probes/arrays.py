"""What counts as an array: a tensor, an ndarray, or what stands in for one."""

from __future__ import annotations

from typing import Any


def is_array(value: Any) -> bool:
    """Whether a value has a dtype and a shape, by its type.

    The type is asked and not the value: a class (a subclass of Tensor, say) is no array, and no
    property of an object that we don't know is called.
    """
    kind = type(value)
    return hasattr(kind, "dtype") and hasattr(kind, "shape")
