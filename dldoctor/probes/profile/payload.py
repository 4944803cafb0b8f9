"""What a batch consists of on its way: tensors, what pickle copies, what pinning cannot reach."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dldoctor.evidence.payload import FloatField, PayloadEvidence
from dldoctor.foreign import attribute, has

DEPTH = 6
NODES = 200_000
GRID = 256
LOOKED_AT = 1 << 20
"""Elements of a field that are looked at."""
FLOAT_BYTES = 1 << 16
"""A smaller float field is not worth a thought."""


class Leaf(NamedTuple):
    """Something at the end of a path."""

    path: str
    value: Any
    pinned: bool
    """Pinning reaches it."""


def leaves(  # noqa: C901 - one branch a kind of value, in the order in which pinning asks
    value: Any, path: str = "", depth: int = 0, *, pinned: bool = True
) -> Iterator[Leaf]:
    """Yield what a batch consists of, as pinning walks it, and what lies in objects that it passes by."""
    if (
        depth > DEPTH
        or has(type(value), "storage_offset")
        or isinstance(value, (str, bytes, int, float, bool))
        or value is None
    ):
        yield Leaf(path, value, pinned)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key), depth + 1, pinned=pinned)
    elif has(value, "_fields") and isinstance(value, tuple):
        for name in value._fields:  # type: ignore[attr-defined] # a named tuple has them
            yield from leaves(
                getattr(value, name), f"{path}.{name}" if path else name, depth + 1, pinned=pinned
            )
    elif isinstance(value, Sequence):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]", depth + 1, pinned=pinned)
    elif has(value, "shape"):
        yield Leaf(path, value, pinned)
    elif has(value, "__dict__") and not isinstance(value, type):
        inside = pinned and callable(attribute(value, "pin_memory", None))
        items = dict(vars(value))
        if not items:
            yield Leaf(path, value, pinned)
        for name, item in items.items():
            yield from leaves(item, f"{path}.{name}" if path else name, depth + 1, pinned=inside)
    else:
        yield Leaf(path, value, pinned)


def describe(batch: Any, types: dict[str, str] | None = None) -> PayloadEvidence:
    """Return what a batch consists of."""
    tensors = tensor_bytes = pickled_bytes = 0
    pickled: dict[str, tuple[str, int]] = {}
    unpinnable: dict[str, tuple[str, int]] = {}
    floats: list[FloatField] = []
    for number, leaf in enumerate(leaves(batch)):
        if number > NODES:
            break
        value, path = leaf.value, leaf.path or "batch"
        if has(type(value), "storage_offset"):
            tensors += 1
            tensor_bytes += value.numel() * value.element_size()
            if not leaf.pinned:
                owner = path.rsplit(".", 1)[0] if "." in path else "batch"
                kind, count = unpinnable.get(owner, ("", 0))
                unpinnable[owner] = (kind or (types or {}).get(owner, ""), count + 1)
            elif len(floats) < 4 and (found := float_grid(value, path)) is not None:
                floats.append(found)
            continue
        size = _size(value)
        if size:
            pickled_bytes += size
            root = path.split("[", 1)[0] or "batch"
            kind, known = pickled.get(root, (type(value).__name__, 0))
            pickled[root] = (kind, known + size)
    ordered = sorted(((path, kind, size) for path, (kind, size) in pickled.items()), key=lambda one: -one[2])
    return PayloadEvidence(
        tensors,
        tensor_bytes,
        pickled_bytes,
        tuple(ordered[:5]),
        tuple((path, kind or type(batch).__name__, count) for path, (kind, count) in unpinnable.items())[:5],
        tuple(floats),
    )


def _size(value: Any) -> int:
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    if isinstance(value, str):
        return len(value)
    nbytes = attribute(value, "nbytes", None)
    if isinstance(nbytes, int):
        return nbytes
    if has(type(value), "getbands"):
        return int(value.size[0] * value.size[1] * len(value.getbands()))
    return sys.getsizeof(value) if value is not None and not isinstance(value, (bool, int, float)) else 8


def float_grid(tensor: Any, path: str) -> FloatField | None:
    """Return how 8 bits would hold a float tensor, where its values lie on such a grid (one a channel)."""
    import torch

    if tensor.dtype not in (torch.float32, torch.float64) or tensor.dim() < 3 or tensor.device.type != "cpu":
        return None
    size = tensor.numel() * tensor.element_size()
    if size < FLOAT_BYTES:
        return None
    axis = next((axis for axis in (-3, -1) if tensor.shape[axis] in (1, 3, 4)), None)
    parts = [tensor] if axis is None else list(tensor.unbind(axis))
    grids = []
    for part in parts:
        grid = _grid(part.reshape(-1))
        if grid is None:
            return None
        grids.append(grid)
    scale, offset, _ = grids[0]
    error = max(one[2] for one in grids)
    alike = len({(round(one[0], 7), round(one[1], 5)) for one in grids}) == 1
    then = tensor.numel()
    return FloatField(
        path,
        str(tensor.dtype).removeprefix("torch."),
        size,
        then,
        error,
        scale,
        offset,
        1 if alike else len(grids),
    )


def _grid(values: Any) -> tuple[float, float, float] | None:
    import torch

    step = max(1, values.numel() // LOOKED_AT)
    kept = values[::step].double()
    if not bool(torch.isfinite(kept).all()):
        return None
    distinct = torch.unique(kept.float())
    if not 8 < distinct.numel() <= GRID:
        return None
    distinct = distinct.double()
    gaps = distinct[1:] - distinct[:-1]
    smallest = float(gaps.min())
    if smallest <= 0:
        return None
    levels = torch.round((distinct - distinct[0]) / smallest)
    # The finest gap is known to a float's precision only; the whole range tells it much better.
    scale = float((distinct[-1] - distinct[0]) / levels[-1])
    back = distinct[0] + torch.round((distinct - distinct[0]) / scale) * scale
    error = float((back - distinct).abs().max())
    if float(levels[-1]) > GRID - 1 or error > scale / 50:
        return None
    return scale, float(distinct[0]), error
