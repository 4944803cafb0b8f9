"""Turns whatever holds a batch's tokens into a table of rows."""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.arrays import is_array

FILL = -(2**31)
"""Stands where a ragged row has no element."""


def table_of(leaf: Any, samples: int = 0) -> Any:
    """Return a ``[rows, width]`` tensor of int64, or None for what is no table of whole numbers.

    Ragged rows are filled with `FILL` at their end. A single sequence is one row. A list of one
    tensor a position, as torch's own collate makes of lists of numbers, is turned over.
    """
    import torch

    if isinstance(leaf, torch.Tensor):
        return _of_tensor(leaf)
    if is_array(leaf) and attribute(leaf.dtype, "kind", "") in "biuf":
        return _of_tensor(torch.as_tensor(leaf.astype("float64" if leaf.dtype.kind == "f" else "int64")))
    if not isinstance(leaf, (list, tuple)) or not leaf:
        return None
    rows = [row_of(item) for item in leaf]
    if any(row is None for row in rows):
        flat = row_of(leaf)
        return None if flat is None else flat.reshape(1, -1)
    if len({len(row) for row in rows}) == 1:
        stacked = torch.stack(rows)
        turned = samples and len(rows) != samples and stacked.shape[1] == samples
        return stacked.T.contiguous() if turned else stacked
    out = torch.full((len(rows), max(len(row) for row in rows)), FILL, dtype=torch.long)
    for number, row in enumerate(rows):
        out[number, : len(row)] = row
    return out


def row_of(item: Any) -> Any:
    """Return a flat sequence of numbers as a tensor of int64, or None."""
    import torch

    if isinstance(item, torch.Tensor):
        plain = item.detach().as_subclass(torch.Tensor).cpu()
        return (
            plain.reshape(-1).long() if plain.ndim == 1 or (plain.ndim == 2 and plain.shape[0] == 1) else None
        )
    if isinstance(item, (list, tuple)) and item and all(type(one) in (int, bool, float) for one in item):
        return torch.tensor(item).long()
    if is_array(item) and item.ndim == 1 and item.dtype.kind in "biu":
        return torch.as_tensor(item.astype("int64"))
    return None


def _of_tensor(tensor: Any) -> Any:
    import torch

    plain = tensor.detach().as_subclass(torch.Tensor)
    if plain.layout != torch.strided or plain.is_nested or plain.is_complex() or not plain.numel():
        return None
    if plain.is_floating_point():
        plain = plain.nan_to_num(0.0)
        plain = torch.where((plain > 0) & (plain < 1), torch.ones_like(plain), plain)  # a weight counts
    plain = plain.cpu().long()
    if plain.ndim < 2:
        return plain.reshape(1, -1)
    return plain if plain.ndim == 2 else plain.flatten(0, -2)
