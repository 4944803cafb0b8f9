"""Values as they can be compared: one row of a batch, or what one sample gave for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dldoctor.probes.look import as_tensor

RICH = 8
"""Numbers or characters from which on equal values are no coincidence."""
RELATIVE = 1e-4
PROBED = 32
DEPTH = 3


@dataclass(frozen=True)
class Content:
    """One value: a text, or numbers as a tensor."""

    text: str | None
    numbers: Any = None
    plain: bool = False
    """All of its numbers are equal: it tells nothing."""

    @property
    def size(self) -> int:
        """Characters or numbers."""
        return len(self.text) if self.text is not None else int(self.numbers.numel())

    @property
    def rich(self) -> bool:
        """Whether another sample will not have it by chance."""
        return self.size >= RICH and not self.plain


def content(value: Any) -> Content | None:
    """Return a value in the form in which it can be compared; None where it has none."""
    if isinstance(value, (bytes, bytearray)):
        return Content(bytes(value).decode("latin-1"))
    if isinstance(value, str):
        return Content(value)
    numbers = _numbers(value)
    if numbers is None:
        return None
    several = numbers.numel() >= RICH
    plain = several and bool((numbers.reshape(-1)[0] == numbers).all())
    return Content(None, numbers, plain)


def _numbers(value: Any) -> Any:
    import torch

    if isinstance(value, (bool, int, float)):
        try:
            return torch.tensor(value)
        except (OverflowError, RuntimeError):
            return None
    if isinstance(value, (list, tuple)) and not _is_regular(value, DEPTH):
        return None
    try:
        found = torch.tensor(value) if isinstance(value, (list, tuple)) and value else as_tensor(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return None if found is None else found.detach()


def _is_regular(value: Any, depth: int) -> bool:
    """Whether nested lists hold nothing but numbers."""
    if isinstance(value, (list, tuple)):
        return depth > 0 and all(_is_regular(one, depth - 1) for one in value[:4096])
    return isinstance(value, (bool, int, float))


def equal(one: Content, other: Content) -> bool:
    """Whether two values are the same, up to the rounding of another order of sums."""
    if one.text is not None or other.text is not None:
        return one.text == other.text
    a, b = one.numbers, other.numbers
    return tuple(a.shape) == tuple(b.shape) and close(a, b)


def close(one: Any, other: Any) -> bool:
    """Whether two tensors of one shape agree."""
    if one.numel() == 0:
        return True
    if one.numel() > 4 * PROBED:  # most pairs differ, and a few elements tell it
        step = one.numel() // PROBED
        if not _close(one.reshape(-1)[::step], other.reshape(-1)[::step]):
            return False
    return _close(one, other)


def _close(one: Any, other: Any) -> bool:
    import torch

    if not one.is_floating_point() and not other.is_floating_point():
        return bool((one == other).all())
    a, b = one.double(), other.double()
    largest = float(b.nan_to_num(0.0, 0.0, 0.0).abs().max())
    room = RELATIVE * largest if math.isfinite(largest) else 0.0
    return torch.allclose(a, b, rtol=RELATIVE, atol=0.01 * room, equal_nan=True)
