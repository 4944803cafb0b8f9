"""The tensors of a batch, however deep they lie: each of them crosses from a worker on its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dldoctor.foreign import has

_DEPTH = 8


def tensors_of(batch: Any, depth: int = 0) -> Iterator[Any]:
    """Yield every tensor of a batch: in mappings, lists, tuples, and attributes of the user's own classes."""
    if has(type(batch), "data_ptr") and has(type(batch), "element_size"):
        yield batch
    elif depth >= _DEPTH or isinstance(batch, (str, bytes, int, float)) or batch is None:
        return
    elif isinstance(batch, Mapping):
        for item in list(batch.values()):
            yield from tensors_of(item, depth + 1)
    elif isinstance(batch, (list, tuple)):
        for item in batch:
            yield from tensors_of(item, depth + 1)
    elif has(batch, "__dict__") and not isinstance(batch, type):
        for item in list(vars(batch).values()):
            yield from tensors_of(item, depth + 1)


def nbytes(tensor: Any) -> int:
    """Return the bytes of the values of a tensor."""
    return int(tensor.numel() * tensor.element_size())
