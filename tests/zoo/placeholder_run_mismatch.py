"""Runs of placeholders beside patches and grids, as Qwen's models take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._patches import IMAGE, Picture, Pictured, Sample, collate, loader, padded, sample
from tests.zoo._patches import INTENT as DECLARED

INTENT = DECLARED


def only_first(picture: Picture, place: int) -> int:
    """The expansion handles the first picture alone."""
    return picture.placeholders if place == 0 else 1


def one_short(picture: Picture, _place: int) -> int:
    """The number of placeholders was rounded down elsewhere."""
    return picture.placeholders - (picture.number % 8 == 0)


def short_seventh(picture: Picture, _place: int) -> int:
    """Samples that came from another tool: each of their pictures lacks two placeholders."""
    return picture.placeholders - 2 * (picture.number // 3 % 7 == 3)


def turned_around(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """The pictures of a row are taken from last to first: as many features, in other places."""
    batch = collate(samples)
    parts, grids = [], []
    for one in samples:
        sizes = one["grid"].prod(1).tolist()
        parts += one["patches"].split(sizes)[::-1]
        grids.append(one["grid"].flip(0))
    return {**batch, "pixel_values": torch.cat(list(parts)), "image_grid_thw": torch.cat(grids)}


def broken() -> DataLoader[Any]:
    """Only the first picture of a row is expanded."""
    return loader(Pictured(make=lambda number: sample(number, runs=only_first)))


def broken_order() -> DataLoader[Any]:
    """Pictures of a row in reverse."""
    return loader(collate_fn=turned_around)


def broken_length() -> DataLoader[Any]:
    """Some runs are short by one."""
    return loader(Pictured(make=lambda number: sample(number, runs=one_short)))


def broken_lost() -> DataLoader[Any]:
    """Every seventh sample lacks some of each picture, and all of the smallest: the rows beside it are whole."""
    return loader(Pictured(make=lambda number: sample(number, runs=short_seventh)))


def fixed() -> DataLoader[Any]:
    """A run of its own for each picture."""
    return loader()


def healthy_dummy() -> DataLoader[Any]:
    """A batch of texts alone takes a white picture along, without placeholders."""

    def with_white(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        batch = collate(samples)
        white = torch.ones(16, batch["pixel_values"].shape[1])
        return {
            **batch,
            "pixel_values": torch.cat([batch["pixel_values"], white]),
            "image_grid_thw": torch.cat([batch["image_grid_thw"], torch.tensor([[1, 4, 4]])]),
        }

    return loader(collate_fn=with_white)


def healthy_tiles() -> DataLoader[Any]:
    """Four placeholders a tile, one to three tiles a picture, tiles of all pictures end to end."""

    class Tiled(Pictured):
        def __getitem__(self, index: int) -> Sample:
            if not 0 <= index < self.rows:
                raise IndexError(index)
            tiles = index % 4
            made = torch.Generator().manual_seed(index)
            ids = [*range(20 + index, 30 + index), *[IMAGE] * (4 * tiles), *range(60, 66 + index % 5), 1]
            return {"input_ids": ids, "tiles": torch.rand(tiles, 3, 28, 28, generator=made)}

    def end_to_end(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        return {
            "input_ids": padded([one["input_ids"] for one in samples]),
            "pixel_values": torch.cat([one["tiles"] for one in samples]),
        }

    return loader(Tiled(), end_to_end)


def healthy_rows_of_images() -> DataLoader[Any]:
    """One block of images a row, padded with zeros and a mask."""

    def blocks(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        pixels, mask = torch.zeros(len(samples), 2, 3, 28, 28), torch.zeros(len(samples), 2, 28, 28)
        for row, one in enumerate(samples):
            for place in range(len(one["grid"])):
                pixels[row, place] = one["patches"][place, :3].mean() + torch.rand(3, 28, 28)
                mask[row, place] = 1
        ids = [list(one["input_ids"]) for one in samples]
        return {"input_ids": padded(ids), "pixel_values": pixels, "pixel_attention_mask": mask.long()}

    fixed_run = Pictured(make=lambda number: sample(number, runs=lambda _picture, _place: 4))
    return loader(fixed_run, blocks)


def healthy_packed() -> DataLoader[Any]:
    """All rows end to end in one, the patches in the same order."""

    def end_to_end(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        batch = collate(samples)
        ids = [one for row in samples for one in row["input_ids"]]
        positions = [place for row in samples for place in range(len(row["input_ids"]))]
        del batch["attention_mask"]
        return {**batch, "input_ids": torch.tensor([ids]), "position_ids": torch.tensor([positions])}

    return loader(collate_fn=end_to_end)
