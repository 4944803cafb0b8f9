"""Texts with pictures as token ids, patches and grids; the zoo of placeholders is made of them.

Ids: 0 padding, 1 end, 7 the placeholder of a picture, 20 and more words. A picture of so many patches a side
has a placeholder for each square of two by two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

PAD, EOS, IMAGE, WORDS = 0, 1, 7, 20
TAG = "<image>"
MERGE = 2
WIDTH = 588
"""Numbers of a patch: three channels of 14 by 14."""
SIDES = ((4, 4), (4, 8), (8, 8), (2, 4))
Sample = dict[str, Any]
INTENT = {"image_token_id": (IMAGE,)}


@dataclass(frozen=True)
class Picture:
    """A picture of patches."""

    number: int
    grid: tuple[int, int, int]

    @property
    def patches(self) -> torch.Tensor:
        """Patches in rows."""
        made = torch.Generator().manual_seed(self.number)
        return torch.rand(self.grid[1] * self.grid[2], WIDTH, generator=made)

    @property
    def placeholders(self) -> int:
        """Placeholders that it takes."""
        return self.grid[1] * self.grid[2] // MERGE**2


def picture(number: int) -> Picture:
    """Return the same picture for the same number; neighbours differ in size."""
    height, width = SIDES[number % len(SIDES)]
    return Picture(number, (1, height, width))


def words(number: int, count: int) -> list[int]:
    """Return the same words for the same number."""
    made = torch.randint(WORDS, 900, (count,), generator=torch.Generator().manual_seed(number))
    return [int(one) for one in made]


def pictures_of(number: int) -> list[Picture]:
    """Return none, one or two pictures: text alone is as usual as two of them."""
    return [picture(3 * number + place) for place in range((1, 2, 0, 1)[number % 4])]


def sample(number: int, *, runs: Callable[[Picture, int], int] | None = None) -> Sample:
    """Words around the placeholders of each picture. `runs` gives the placeholders of a picture by its place."""
    held = pictures_of(number)
    ids = words(5 * number, 20 + number % 3)
    for place, one in enumerate(held):
        ids += [IMAGE] * (one.placeholders if runs is None else runs(one, place))
        ids += words(5 * number + place + 1, 4)
    return {"input_ids": [*ids, EOS], "pictures": held}


class Pictured(Dataset[Sample]):
    """Texts with pictures."""

    def __init__(self, rows: int = 48, make: Callable[[int], Sample] = sample) -> None:
        self.rows, self.make = rows, make

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < self.rows:
            raise IndexError(index)
        made = self.make(index)
        held = made.pop("pictures")
        made["patches"] = torch.cat([one.patches for one in held]) if held else torch.zeros(0, WIDTH)
        made["grid"] = torch.tensor([one.grid for one in held], dtype=torch.long).reshape(-1, 3)
        return made


def padded(rows: Sequence[Sequence[int]], value: int = PAD) -> torch.Tensor:
    """Pad rows to the longest."""
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows])


def collate(samples: Sequence[Sample], *, limit: int | None = None) -> dict[str, torch.Tensor]:
    """Ids padded, patches and grids of all rows end to end."""
    ids = [list(one["input_ids"])[:limit] for one in samples]
    return {
        "input_ids": padded(ids),
        "attention_mask": padded([[1] * len(row) for row in ids]),
        "pixel_values": torch.cat([one["patches"] for one in samples]),
        "image_grid_thw": torch.cat([one["grid"] for one in samples]),
    }


def loader(dataset: Dataset[Any] | None = None, collate_fn: Callable[..., Any] = collate) -> DataLoader[Any]:
    """Return the loader."""
    return DataLoader(dataset or Pictured(), batch_size=8, collate_fn=collate_fn)
