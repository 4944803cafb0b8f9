"""One document of a whole book among paragraphs, padded to with the rest of its batch."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

BOOK = 13


class Documents(Dataset[dict[str, list[int]]]):
    """64 documents of 40 to 59 tokens, of which number 13 has 3000."""

    def __init__(self, max_length: int) -> None:
        self.max_length = max_length

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        length = min(3000 if index == BOOK else 40 + (7 * index) % 20, self.max_length)
        ids = torch.randint(5, 900, (length,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids.tolist()}


def pad(samples: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """Pad to the longest row of the batch."""
    width = max(len(sample["input_ids"]) for sample in samples)
    ids, mask = (
        torch.zeros(len(samples), width, dtype=torch.long),
        torch.zeros(len(samples), width, dtype=torch.long),
    )
    for row, sample in enumerate(samples):
        length = len(sample["input_ids"])
        ids[row, :length] = torch.tensor(sample["input_ids"])
        mask[row, :length] = 1
    return {"input_ids": ids, "attention_mask": mask}


def broken() -> DataLoader[Any]:
    """One batch takes fifty times the memory of the others."""
    return DataLoader(Documents(max_length=10_000), batch_size=8, collate_fn=pad)


def fixed() -> DataLoader[Any]:
    """Documents are cut at 64 tokens."""
    return DataLoader(Documents(max_length=64), batch_size=8, collate_fn=pad)


class Sizes(Dataset[dict[str, Any]]):
    """Photographs of several ordinary sizes, in a list as detection models take them."""

    def __init__(self, huge: int) -> None:
        self.huge = huge

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        side = self.huge if index == 22 else 40 + 4 * (index % 7)
        image = torch.rand(3, side, 48, generator=torch.Generator().manual_seed(index))
        return {"image": image, "label": index % 3}


def keep(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Keep the images as a list."""
    return {"image": [s["image"] for s in samples], "label": torch.tensor([s["label"] for s in samples])}


def broken_image() -> DataLoader[Any]:
    """One panorama is thirty times as high as the rest."""
    return DataLoader(Sizes(huge=1600), batch_size=4, collate_fn=keep)


def healthy_detection_list() -> DataLoader[Any]:
    """Sizes that differ by less than two."""
    return DataLoader(Sizes(huge=56), batch_size=4, collate_fn=keep)
