"""Tells a row that is a blend of two samples: mixed on purpose, and nobody's copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dldoctor.probes.provenance.content import RICH, Content

ELEMENTS = 2048
RESIDUAL = 1e-3
"""Share of the row's spread that a blend may leave unexplained."""
PATCH_SHARE = 0.999


def is_blend(row: Content, pieces: Sequence[Content]) -> bool:
    """Whether a row is a weighted sum of two samples, or has each element of one of two."""
    if row.numbers is None or not row.numbers.is_floating_point():
        return False
    shape = tuple(row.numbers.shape)
    same = [p.numbers for p in pieces if p.numbers is not None and tuple(p.numbers.shape) == shape]
    if len(same) < 2 or row.numbers.numel() < RICH:
        return False
    step = max(1, row.numbers.numel() // ELEMENTS)
    own = row.numbers.reshape(-1)[::step].double()
    others = [one.reshape(-1)[::step].double() for one in same]
    return _is_sum(own, others) or _is_patchwork(own, others)


def _is_sum(own: Any, others: Sequence[Any]) -> bool:
    import torch

    if len(others) * 2 > own.numel():
        return False  # with so many unknowns anything is a sum
    table = torch.stack(list(others), dim=1)
    weights = torch.linalg.lstsq(table, own.unsqueeze(1), driver="gelsd").solution.squeeze(1)
    left = float((own - table @ weights).norm())
    spread = float((own - own.mean()).norm())
    return spread > 0 and left <= RESIDUAL * spread and int((weights.abs() > 0.01).sum()) >= 2


def _is_patchwork(own: Any, others: Sequence[Any]) -> bool:
    shares = [own == one for one in others]
    by_share = sorted(shares, key=lambda one: -int(one.sum()))
    first, second = by_share[0], by_share[1]
    both = float((first | second).double().mean())
    return both >= PATCH_SHARE and not bool(first.all()) and float(second.double().mean()) > 0.01
