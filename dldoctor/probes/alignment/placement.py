"""Where a transform put a picture: told by reading it as a slope from left to right, from top to bottom, and as blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dldoctor.probes.alignment import cards

SIDE = 96
FEWEST = 200
"""Pixels that must show the picture, and not what fills its surroundings."""
SEEN = 0.2
"""Share of the pixels that must."""
CHANGED = 0.04
"""Share of the range by which a pixel differs between two cards where it shows the picture."""
STRAY = 0.12
"""A pixel that lies so far from the fit is no part of it (what is drawn over, or interpolated with a fill)."""
FITTING, AGREEING = 0.8, 0.85
"""Share of pixels that follow one placement, and that show the block which it tells."""
CONTRASTS = (1.0, 0.9, 1.1, 0.8, 1.25, 0.65, 1.5)
"""How much steeper a change of contrast may have made the slopes than the blocks."""


@dataclass(frozen=True)
class Placement:
    """An affine map from shares of the sides of a result to shares of the sides of the picture that was read."""

    matrix: tuple[tuple[float, float, float], tuple[float, float, float]]

    def back(self, points: Any) -> Any:
        """Return points of the result as points of the picture that was read."""
        import torch

        table = torch.tensor(self.matrix, dtype=torch.float64)
        return points @ table[:, :2].T + table[:, 2]

    def forth(self, points: Any) -> Any:
        """Return points of the picture that was read as points of the result."""
        import torch

        table = torch.tensor(self.matrix, dtype=torch.float64)
        moved: Any = torch.linalg.solve(table[:, :2], (points - table[:, 2]).T)
        return moved.T


def placement(blocks: Any, across: Any, down: Any) -> Placement | None:
    """Return the placement that three planes show; None where no affine one explains them."""
    import torch

    if not (tuple(blocks.shape) == tuple(across.shape) == tuple(down.shape)):
        return None
    step = max(1, max(blocks.shape) // SIDE)
    planes = torch.stack([one[::step, ::step] for one in (blocks, across, down)])
    low, high = planes[0].quantile(0.02), planes[0].quantile(0.98)
    if not bool(high > low):
        return None
    planes = (planes - low) / (high - low)
    seen = (planes.amax(0) - planes.amin(0)) > CHANGED
    if int(seen.sum()) < max(FEWEST, SEEN * seen.numel()):
        return None
    height, width = blocks.shape
    rows = (torch.arange(planes.shape[1], dtype=torch.float64) * step + 0.5) / height
    columns = (torch.arange(planes.shape[2], dtype=torch.float64) * step + 0.5) / width
    v, u = torch.meshgrid(rows, columns, indexing="ij")
    places = torch.stack([u[seen], v[seen], torch.ones(int(seen.sum()), dtype=torch.float64)], 1)
    shares = planes[1:, seen].T
    fitted = _fit(places, shares)
    if fitted is None:
        return None
    return _settled(fitted, places, planes[0][seen])


def _fit(places: Any, shares: Any) -> Any:
    """Return two rows of three numbers that map places to shares; None where most pixels follow no such map."""
    import torch

    kept = torch.ones(len(places), dtype=torch.bool)
    found = None
    for _ in range(4):
        if int(kept.sum()) < FEWEST // 2:
            return None
        found = torch.linalg.lstsq(places[kept], shares[kept]).solution
        kept = (places @ found - shares).abs().amax(1) < STRAY
    enough = float(kept.double().mean()) >= FITTING
    return found.T if found is not None and enough and abs(float(torch.linalg.det(found.T[:, :2]))) > 1e-4 else None  # fmt: skip


def _settled(fitted: Any, places: Any, blocks: Any) -> Placement | None:
    """Return the fit with the contrast under which it tells the blocks; None where none does."""
    import torch

    card = cards.pattern(0)
    shown = blocks > 0.5
    best: tuple[float, Any] = (0.0, None)
    for contrast in CONTRASTS:
        table = fitted.clone()
        table[:, 2] -= 0.5
        table /= contrast
        table[:, 2] += 0.5
        at = (places @ table.T * cards.BLOCKS).long().clamp(0, cards.BLOCKS - 1)
        agree = float(((card[at[:, 1], at[:, 0]] > 0) == shown).double().mean())
        if agree > best[0]:
            best = (agree, table)
    if best[1] is None or best[0] < AGREEING or not bool(torch.isfinite(best[1]).all()):
        return None
    first, second = (tuple(float(value) for value in row) for row in best[1])
    return Placement((first, second))  # type: ignore[arg-type]  # three numbers each
