"""What a batch consists of, on its way from a worker to the consumer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FloatField:
    """A float field of the batch whose values lie on a grid that 8 bits hold."""

    path: str
    dtype: str
    now_bytes: int
    then_bytes: int
    error: float
    """Largest difference after a round trip through uint8."""
    scale: float
    offset: float
    channels: int = 1
    """Grids found: one for all, or one a channel."""


@dataclass(frozen=True)
class PayloadEvidence:
    """What a batch consists of, on its way from a worker to the consumer."""

    tensors: int
    tensor_bytes: int
    pickled_bytes: int
    """Bytes of arrays and other objects that pickle copies through a pipe."""
    pickled: tuple[tuple[str, str, int], ...] = ()
    """Path, type and bytes, the largest first."""
    unpinnable: tuple[tuple[str, str, int], ...] = ()
    """Path, type and count of tensors that pinning cannot reach."""
    floats: tuple[FloatField, ...] = ()
