"""Recognises a test card: whether two of them lie alike, and how one is turned."""

from __future__ import annotations

from typing import Any

from dldoctor.probes.look import as_tensor

TURNS = ("as stored", "mirrored", "upside down", "turned by 180", "turned by 90", "turned by 270")
SURE = 0.8
SIDE = 48
FEWEST = 64


def grey(picture: Any) -> Any:
    """Return a picture as one plane of real numbers, or a volume as it is; None where it is neither."""
    table = as_tensor(picture[0] if isinstance(picture, (list, tuple)) and len(picture) == 1 else picture)
    if table is None:
        return None
    table = table.detach().double()
    while table.ndim > 3:
        table = table[0]
    if table.ndim == 3 and table.shape[0] <= 4:
        table = table.mean(0)
    elif table.ndim == 3 and table.shape[2] <= 4:
        table = table.mean(2)
    return table if table.ndim in (2, 3) else None


def two_levels(mask: Any) -> tuple[Any, Any] | None:
    """Return a mask as 0 and 1, and where it has one of its two commonest values; None where it has one only."""
    import torch

    table = grey(mask)
    if table is None:
        return None
    values, counts = torch.unique(table, return_counts=True)
    if len(values) < 2:
        return None
    first, second = (values[at] for at in counts.argsort(descending=True)[:2])
    return (table == second).double(), (table == first) | (table == second)


def likeness(picture: Any, flags: Any, known: Any) -> float | None:
    """Return how far a picture follows a mask, 0 to 1, whatever its brightness; None where nothing varies."""
    resized = _resized(picture, tuple(flags.shape))
    a, b = resized[known], flags[known]
    if a.numel() < FEWEST:
        return None
    a, b = a - a.mean(), b - b.mean()
    scale = float(a.norm() * b.norm())
    return abs(float(a @ b)) / scale if scale > 1e-9 else None


def turn_of(plane: Any, card: Any) -> str | None:
    """Return how a card lies in a plane that shows all of it; None where it cannot be told."""
    import torch

    shown = _resized(plane, (SIDE, SIDE))
    whole = _resized(card.double(), (SIDE, SIDE))
    placed = (
        whole, whole.flip(1), whole.flip(0), whole.rot90(2), whole.rot90(1), whole.rot90(3),
    )  # fmt: skip
    everywhere = torch.ones_like(whole, dtype=torch.bool)
    found = [likeness(shown, one, everywhere) or 0.0 for one in placed]
    best = max(range(len(found)), key=found.__getitem__)
    return TURNS[best] if found[best] >= SURE else None


def _resized(plane: Any, size: tuple[int, ...]) -> Any:
    import torch

    if tuple(plane.shape) == size:
        return plane
    return torch.nn.functional.interpolate(plane[None, None].float(), size, mode="nearest-exact")[
        0, 0
    ].double()
