"""What a type is to us, told without importing torch, numpy or Pillow."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from functools import lru_cache


class Kind(IntEnum):
    """What to do with a value of a type. Up to `OPAQUE` it is a leaf."""

    NUMBER = 0
    TEXT = 1
    NONE = 2
    TENSOR = 3
    IMAGE = 4
    """A Pillow image."""
    OPAQUE = 5
    """An object that is not looked into."""
    ARRAY = 6
    """A numpy array: a leaf unless it holds Python objects."""
    MAPPING = 7
    NAMED = 8
    """A tuple with field names."""
    FIELDS = 9
    """A dataclass or an attrs class."""
    SEQUENCE = 10
    """A list or a tuple."""
    OBJECT = 11
    """Any other object with attributes."""


LAST_LEAF = int(Kind.OPAQUE)

_BUILTIN: dict[type, Kind] = {
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    bool: Kind.NUMBER,
    complex: Kind.NUMBER,
    str: Kind.TEXT,
    bytes: Kind.TEXT,
    bytearray: Kind.TEXT,
    type(None): Kind.NONE,
    dict: Kind.MAPPING,
    list: Kind.SEQUENCE,
    tuple: Kind.SEQUENCE,
}
# By package of a class in the order of inheritance; subclasses (tv_tensors, memmap) count too.
_KNOWN_BASES = {
    ("torch", "Tensor"): Kind.TENSOR,
    ("numpy", "ndarray"): Kind.ARRAY,
    ("numpy", "generic"): Kind.NUMBER,
    ("PIL", "Image"): Kind.IMAGE,
}
# Their contents are data of one field, and turning them into dicts costs more than the sample.
_CLOSED_PACKAGES = (
    "pandas",
    "polars",
    "pyarrow",
    "h5py",
    "zarr",
    "datasets",
    "io",
    "_io",
    "pathlib",
    "datetime",
)
_CLOSED_TYPES = (type, types.ModuleType, types.FunctionType, Enum, BaseException)


def _kind_of(cls: type) -> Kind:
    if cls in _BUILTIN:
        return _BUILTIN[cls]
    for base in cls.__mro__:
        known = _KNOWN_BASES.get((base.__module__.partition(".")[0], base.__name__))
        if known is not None:
            return known
    if issubclass(cls, Mapping):
        return Kind.MAPPING
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return Kind.NAMED
    for base, kind in _BUILTIN.items():
        if issubclass(cls, base) and not issubclass(cls, Enum):
            return kind
    if hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__attrs_attrs__"):
        return Kind.FIELDS
    return _kind_of_object(cls)


def _kind_of_object(cls: type) -> Kind:
    if cls.__module__.partition(".")[0] in _CLOSED_PACKAGES or issubclass(cls, _CLOSED_TYPES):
        return Kind.OPAQUE
    if callable(getattr(cls, "keys", None)) and hasattr(cls, "__getitem__"):
        return Kind.MAPPING
    module_like = any(
        base.__name__ == "Module" and base.__module__.startswith("torch.") for base in cls.__mro__
    )
    if module_like or not cls.__dictoffset__:
        return Kind.OPAQUE
    return Kind.OBJECT


kind_of: Callable[[type], Kind] = lru_cache(maxsize=4096)(_kind_of)
"""Return what a value of this type is to us."""


def container_of(leaf: object) -> str:
    """Return the short name of the type: ``Tensor``, ``PIL.Image``, ``list[Tensor]``, ``list`` (of numbers)."""
    cls = type(leaf)
    kind = kind_of(cls)
    if kind is Kind.NONE:
        return "None"
    if kind is Kind.IMAGE:
        return "PIL.Image"
    if kind is Kind.SEQUENCE and isinstance(leaf, list | tuple):
        inner = sorted({container_of(item) for item in leaf[:64] if item is not None})
        if inner and not {kind_of(type(item)) for item in leaf[:64]} <= {Kind.NUMBER, Kind.NONE}:
            return f"{cls.__name__}[{inner[0] if len(inner) == 1 else 'object'}]"
    return cls.__name__
