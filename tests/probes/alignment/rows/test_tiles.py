"""Tiles are put in place where their picture goes on across the edges, and only there."""

from __future__ import annotations

import pytest
import torch

from dldoctor.probes.alignment.rows.tiles import in_place

SIDE = 24


def picture(rows: int, columns: int, seed: int = 0) -> torch.Tensor:
    """A picture of soft patches, ``[H, W, 3]``."""
    coarse = torch.rand(1, 3, 2 * rows + 1, 2 * columns + 1, generator=torch.Generator().manual_seed(seed))
    large = torch.nn.functional.interpolate(coarse, (rows * SIDE, columns * SIDE), mode="bicubic")
    return large[0].permute(1, 2, 0)


def tiles_of(whole: torch.Tensor) -> list[torch.Tensor]:
    return [tile for row in whole.split(SIDE, dim=0) for tile in row.split(SIDE, dim=1)]


def small(whole: torch.Tensor) -> torch.Tensor:
    planes = whole.permute(2, 0, 1)[None]
    return torch.nn.functional.interpolate(planes, (SIDE, SIDE), mode="area")[0].permute(1, 2, 0)


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (1, 4), (2, 2), (4, 3)])
@pytest.mark.parametrize("apart", ["none", "first", "last"])
def test_the_arrangement_is_found(rows: int, columns: int, apart: str) -> None:
    """Whatever it is, with or without the whole picture beside the tiles."""
    whole = picture(rows, columns)
    tiles = tiles_of(whole)
    given = {"none": tiles, "first": [small(whole), *tiles], "last": [*tiles, small(whole)]}[apart]
    placed = in_place(given)
    assert placed is not None
    assert (placed.rows, placed.columns) == (rows, columns)
    assert torch.equal(placed.picture, whole)
    assert (len(placed.before), len(placed.after)) == (apart == "first", apart == "last")


@pytest.mark.parametrize("count", [2, 4, 6])
def test_different_pictures_are_not_joined(count: int) -> None:
    """A row of several images holds no picture in tiles."""
    assert in_place([picture(1, 1, seed) for seed in range(count)]) is None


def test_pictures_with_one_colour_around_them_are_not_joined() -> None:
    """Edges of one colour fit anywhere."""
    framed = [torch.nn.functional.pad(picture(1, 1, seed), (0, 0, 2, 2, 2, 2)) for seed in range(4)]
    assert in_place(framed) is None


def test_nothing_is_made_of_one_picture_or_of_several_sizes() -> None:
    """There is nothing to put together."""
    assert in_place([picture(1, 1)]) is None
    assert in_place([picture(1, 1), picture(1, 2)]) is None
