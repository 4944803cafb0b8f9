"""A cheap look at the shape of a sample: types, dtypes, shapes and short values, not contents.

It runs for every sample, inside the user's workers, so it costs about a microsecond a leaf.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from dldoctor.foreign import attribute, has
from dldoctor.probes.arrays import is_array
from dldoctor.roles.flatten import leaves

Layout = tuple[tuple[str, str, str | None, str | None], ...]
"""``(path, container, dtype, mode)`` of each leaf; the same for most samples."""

_TEXT_KEPT = 80
_short: dict[Any, str] = {}


class Glance(NamedTuple):
    """What one sample looks like from outside; all parts are values that `marshal` takes."""

    layout: Layout
    shapes: tuple[tuple[int, ...] | None, ...]
    """Shape of each leaf: of a text its length, of a list its length, of an image (height, width)."""
    values: tuple[Any, ...]
    """The value of a scalar or short text, else None."""


def short_dtype(dtype: Any) -> str:
    """Return ``float32`` for ``torch.float32`` and for numpy's."""
    name = _short.get(dtype)
    if name is None:
        name = _short[dtype] = str(dtype).removeprefix("torch.")
    return name


def glance(sample: Any) -> tuple[Glance, list[Any]]:
    """Describe a sample and return its leaves in the same order."""
    layout, shapes, values, objects = [], [], [], []
    for path, leaf in leaves(sample):
        try:
            container, dtype, mode, shape, value = _describe(leaf)
        except Exception:  # noqa: BLE001 - an object of the user's that answers no question
            container, dtype, mode, shape, value = type(leaf).__name__, None, None, None, None
        layout.append((path, container, dtype, mode))
        shapes.append(shape)
        values.append(value)
        objects.append(leaf)
    return Glance(tuple(layout), tuple(shapes), tuple(values)), objects


Described = tuple[str, str | None, str | None, tuple[int, ...] | None, Any]


def _describe(leaf: Any) -> Described:
    kind = type(leaf)
    if kind is str:
        return "str", None, None, (len(leaf),), leaf if len(leaf) <= _TEXT_KEPT else None
    if kind is int or kind is float or kind is bool:
        return kind.__name__, None, None, None, leaf
    if leaf is None:
        return "None", None, None, None, None
    if kind is bytes:
        return "bytes", None, None, (len(leaf),), None
    if kind is list or kind is tuple:
        return _describe_list(leaf)
    if is_array(leaf):
        return _describe_array(leaf)
    if has(leaf, "mode") and has(type(leaf), "getbands"):
        width, height = leaf.size
        return "PIL.Image", None, str(leaf.mode), (int(height), int(width)), None
    if isinstance(leaf, (str, int, float)):
        plain = next(base for base in (bool, str, int, float) if isinstance(leaf, base))
        return _describe(plain(leaf))
    return kind.__name__, None, None, None, None


def _describe_array(leaf: Any) -> Described:
    tensor = type(leaf).__module__.split(".", 1)[0] != "numpy"
    try:
        shape = tuple(int(n) for n in leaf.shape)
    except (TypeError, ValueError):  # nested and symbolic tensors have no plain shape
        shape = None
    value = None
    if shape == () and attribute(attribute(leaf, "device", None), "type", "cpu") == "cpu":
        value = leaf.item()
        value = value if isinstance(value, (int, float, bool, str)) else None
    name = "Tensor" if tensor else "ndarray" if shape != () else "scalar"
    kind = type(leaf).__name__
    if kind not in ("Tensor", "ndarray") and shape != ():
        name = kind
    return name, short_dtype(leaf.dtype), None, shape, value


def _describe_list(leaf: Any) -> Described:
    container = type(leaf).__name__
    if not leaf:
        return container, None, None, (0,), None
    first = leaf[0]
    if isinstance(first, (list, tuple)) and first and isinstance(first[0], (int, float)):
        return container, type(first[0]).__name__, None, (len(leaf), len(first)), None
    if isinstance(first, (bool, int, float, str)):
        return container, type(first).__name__, None, (len(leaf),), None
    if is_array(first):
        return f"{container}[{type(first).__name__}]", short_dtype(first.dtype), None, (len(leaf),), None
    return f"{container}[{type(first).__name__}]", None, None, (len(leaf),), None


_ITEM_SIZE = {
    "float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16, "float32": 4,
    "int32": 4, "uint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "int8": 1,
    "uint8": 1, "bool": 1,
}  # fmt: skip
_BANDS = {"1": 1, "L": 1, "P": 1, "LA": 2, "RGB": 3, "YCbCr": 3, "LAB": 3, "HSV": 3, "RGBA": 4, "CMYK": 4}


def leaf_bytes(container: str, dtype: str | None, mode: str | None, shape: tuple[int, ...] | None) -> int:
    """Return the bytes of a leaf's content (an image as decoded, a text as one byte a character)."""
    count = 1
    for n in shape or ():
        count *= n
    if container == "PIL.Image":
        return count * _BANDS.get(mode or "", 4)
    if container in ("str", "bytes"):
        return count
    if dtype is None:
        return 8 if container in ("int", "float", "bool") else count * 8
    return count * _ITEM_SIZE.get(dtype, 8)


def leaf_transfer(container: str) -> Literal["tensor", "array", "object"]:
    """Return how a leaf crosses from a worker: ``tensor``, ``array`` or ``object``."""
    if container == "ndarray":
        return "array"
    return "tensor" if "Tensor" in container else "object"
