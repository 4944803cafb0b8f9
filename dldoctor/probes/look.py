"""A look at the values of one leaf: range, NaN, Inf, constancy, and a few elements.

Every element is passed once, by one ``aminmax``; NaN and Inf are counted exactly only where that
result is not finite; mean, spread and quantiles come from a strided part of the elements.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from dldoctor.foreign import attribute, has

CONSTANT_FROM = 16
"""Elements from which on "all are equal" says something."""
ELEMENTS_KEPT = 48
_PIXEL_CHANNELS = 4
_NEIGHBOURS = 4


class Look(NamedTuple):
    """Values of one leaf, as plain numbers that `marshal` takes."""

    low: float | None
    high: float | None
    """Over the finite elements; None where there is none."""
    nan: int
    inf: int
    negative_only: bool
    """Every Inf is -Inf and every finite value is 0."""
    constant: bool
    integral: bool
    some: tuple[float, ...]
    """At most `ELEMENTS_KEPT` finite elements, evenly spread."""
    last: float | None
    """The last element of a row of whole numbers (how a row of token ids ends)."""
    digest: int
    """Of the spread elements and the shape; equal contents have equal digests."""


def look(leaf: Any) -> Look | None:
    """Look at a numeric leaf; None where it has no numbers that can be looked at here."""
    try:
        tensor = as_tensor(leaf)
        if tensor is None or tensor.numel() == 0:
            return None
        with one_thread():
            return look_at(tensor.detach())
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return None


def extent(leaf: Any) -> tuple[float, float] | None:
    """Return least and greatest element, NaN if there is one; None where there are no numbers.

    It runs for every leaf that is not looked at in full, so that no NaN and no Inf is missed.
    """
    try:
        return _extent(leaf)
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return None


def _extent(leaf: Any) -> tuple[float, float] | None:
    if isinstance(leaf, (list, tuple)):
        if not leaf or type(leaf[0]) not in (int, float):
            return None
        total = float(sum(leaf))
        return (min(leaf), max(leaf)) if math.isfinite(total) else (total, total)
    if has(type(leaf), "getbands"):
        return None  # to look at it would decode it
    tensor = _as_tensor(leaf)
    if tensor is None or tensor.numel() == 0:
        return None
    low, high = _dense(tensor.detach() if tensor.requires_grad else tensor).aminmax()
    return float(low), float(high)


def is_remarkable(leaf: Any, ends: tuple[float, float] | None) -> bool:
    """Whether a leaf with these ends should be looked at in full: not finite, or of one value."""
    if ends is None:
        return False
    low, high = ends
    if not (math.isfinite(low) and math.isfinite(high)):
        return True
    shape = attribute(leaf, "shape", (len(leaf),) if isinstance(leaf, (list, tuple)) else ())
    count = math.prod(int(n) for n in shape)
    if count < CONSTANT_FROM:
        return False
    return low == high or (len(shape) == 3 and _corners_agree(leaf, shape))


def _corners_agree(leaf: Any, shape: Any) -> bool:
    """Whether an image may be of one colour; hardly any other one has equal corners."""
    first_row = leaf[0, 0] if shape[0] <= _PIXEL_CHANNELS else leaf[0, :, 0]
    if not _all_equal(first_row[:_NEIGHBOURS].tolist()):
        return False  # the cheap question first: it is asked of every image
    if shape[0] <= _PIXEL_CHANNELS:
        return bool((leaf[:, 0, 0] == leaf[:, -1, -1]).all() and (leaf[:, 0, -1] == leaf[:, -1, 0]).all())
    if shape[2] <= _PIXEL_CHANNELS:
        return bool((leaf[0, 0] == leaf[-1, -1]).all() and (leaf[0, -1] == leaf[-1, 0]).all())
    return False


def _all_equal(values: list[float]) -> bool:
    return all(value == values[0] for value in values)


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch to one thread meanwhile (in a worker it is).

    Its thread pool would compete with the workers for the cores: measured, a pass of 0.2 ms took
    8 ms while two workers kept two cores busy.
    """
    import torch

    threads = torch.get_num_threads()
    if threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def as_tensor(leaf: Any) -> Any:
    """Return a CPU tensor that shares the leaf's memory where that is possible, else None."""
    try:
        return _as_tensor(leaf)
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return None


def _as_tensor(leaf: Any) -> Any:
    import torch

    if isinstance(leaf, torch.Tensor):
        plain = leaf.layout is torch.strided and leaf.device.type == "cpu" and not leaf.is_complex()
        if not plain or leaf.is_quantized or attribute(leaf, "is_nested", False):
            return None
        return leaf if type(leaf) is torch.Tensor else leaf.as_subclass(torch.Tensor)
    if isinstance(leaf, (list, tuple)):
        return _from_numbers(leaf)
    if has(type(leaf), "getbands") or type(leaf).__module__.split(".", 1)[0] == "numpy":
        return _from_array(leaf)
    return None


def _from_numbers(leaf: Any) -> Any:
    import torch

    if not leaf or not all(isinstance(item, (int, float)) for item in leaf[:8]):
        return None
    try:
        return torch.tensor(leaf)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def _from_array(leaf: Any) -> Any:
    try:
        import numpy as np
        import torch
    except ImportError:
        return None
    try:
        array = np.asarray(leaf)
        if array.dtype.kind not in "biuf" or not array.dtype.isnative:
            return None
        if array.dtype.itemsize > 8:
            return None
        if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
            array = array.copy()
        return torch.from_numpy(array)
    except (TypeError, ValueError, OSError, RuntimeError):
        return None


def look_at(tensor: Any) -> Look:
    """Look at a CPU tensor with at least one element."""
    floating = tensor.dtype.is_floating_point
    some = _spread(tensor)
    if tensor.dtype.itemsize == 1 and floating:  # float8 has no aminmax
        tensor = tensor.float()
    if _unsigned_wide(tensor):
        tensor = tensor.to(_int64())
    low, high = (float(v) for v in _dense(tensor).aminmax())
    nan = inf = 0
    negative_only = False
    if floating and not (math.isfinite(low) and math.isfinite(high)):
        low_, high_, nan, inf, negative_only = _count_nonfinite(tensor)
        kept: tuple[float | None, float | None] = (low_, high_)
    else:
        kept = (low, high)
    finite = tuple(v for v in some if math.isfinite(v))
    return Look(
        low=kept[0],
        high=kept[1],
        nan=nan,
        inf=inf,
        negative_only=negative_only,
        constant=nan == 0 and inf == 0 and _constant(tensor, low, high),
        integral=all(v == int(v) for v in finite),
        some=finite,
        last=float(tensor[-1]) if tensor.ndim == 1 and not floating else None,
        digest=zlib.crc32(repr((tuple(tensor.shape), some)).encode()),
    )


def _int64() -> Any:
    import torch

    return torch.int64


def _unsigned_wide(tensor: Any) -> bool:
    return str(tensor.dtype) in ("torch.uint16", "torch.uint32", "torch.uint64")


def _spread(tensor: Any) -> tuple[float, ...]:
    flat = _dense(tensor).reshape(-1)
    step = max(1, -(-flat.numel() // ELEMENTS_KEPT))
    return tuple(float(v) for v in flat[::step][:ELEMENTS_KEPT].tolist())


def _count_nonfinite(tensor: Any) -> tuple[float | None, float | None, int, int, bool]:
    import torch

    finite = torch.isfinite(tensor)
    nan = int(torch.isnan(tensor).sum())
    inf = int(finite.numel() - int(finite.sum()) - nan)
    rest = tensor[finite]
    if rest.numel() == 0:
        return None, None, nan, inf, False
    low, high = (float(v) for v in rest.aminmax())
    positive = bool((tensor == float("inf")).any())
    return low, high, nan, inf, inf > 0 and nan == 0 and not positive and low == high == 0.0


def _constant(tensor: Any, low: float, high: float) -> bool:
    if tensor.numel() < CONSTANT_FROM:
        return False
    if low == high:
        return True
    # An image of one colour is constant in each channel, not over all of them.
    if tensor.ndim != 3:
        return False
    if tensor.shape[0] <= _PIXEL_CHANNELS and tensor[0].numel() >= CONSTANT_FROM:
        return _each_constant(tensor)
    if tensor.shape[2] <= _PIXEL_CHANNELS and tensor[..., 0].numel() >= CONSTANT_FROM:
        return _each_constant(tensor.permute(2, 0, 1))
    return False


def _each_constant(channels: Any) -> bool:
    """Whether each channel ``[C, H, W]`` has one value; hardly any image passes the first look."""
    corners = channels[:, :: max(1, channels.shape[1] - 1), :: max(1, channels.shape[2] - 1)]
    for part in (corners, channels):
        if not all(bool((channel == channel[0, 0]).all()) for channel in part):
            return False
    return True


def _dense(tensor: Any) -> Any:
    """Return a view whose elements lie in order of memory: flattening another one copies it."""
    if tensor.is_contiguous():
        return tensor
    order = sorted(range(tensor.ndim), key=lambda axis: -tensor.stride(axis))
    return tensor.permute(order)
