"""Chat turns of very different lengths, batched in the order in which they lie in the file."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Turns(Dataset[dict[str, list[int]]]):
    """96 tokenised turns of 6 to 100 tokens, sorted by length on request."""

    def __init__(self, by_length: bool = False, longest: int = 100) -> None:
        lengths = [6 + (37 * number) % (longest - 5) for number in range(96)]
        self.lengths = sorted(lengths) if by_length else lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        ids = torch.randint(5, 900, (self.lengths[index],), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids.tolist()}


def pad(samples: list[dict[str, list[int]]], left: bool = False, width: int = 0) -> dict[str, torch.Tensor]:
    """Pad to the longest row of the batch, or to a fixed width."""
    width = width or max(len(sample["input_ids"]) for sample in samples)
    ids, mask = (
        torch.zeros(len(samples), width, dtype=torch.long),
        torch.zeros(len(samples), width, dtype=torch.long),
    )
    for row, sample in enumerate(samples):
        length = len(sample["input_ids"])
        part = slice(width - length, width) if left else slice(0, length)
        ids[row, part] = torch.tensor(sample["input_ids"])
        mask[row, part] = 1
    return {"input_ids": ids, "attention_mask": mask}


def pad_left(samples: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """Pad at the front, as generation needs it."""
    return pad(samples, left=True)


def pad_to_limit(samples: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """Pad every row to the limit of the model."""
    return pad(samples, width=128)


def broken() -> DataLoader[Any]:
    """Each batch holds a long turn, and all others are padded to it."""
    return DataLoader(Turns(), batch_size=8, collate_fn=pad)


def fixed() -> DataLoader[Any]:
    """Turns of similar length lie together."""
    return DataLoader(Turns(by_length=True), batch_size=8, collate_fn=pad)


def broken_fixed_width() -> DataLoader[Any]:
    """Rows of at most 30 tokens are all padded to 128."""
    return DataLoader(Turns(by_length=True, longest=30), batch_size=8, collate_fn=pad_to_limit)


def healthy_left_padding() -> DataLoader[Any]:
    """Padding at the front, little of it."""
    return DataLoader(Turns(by_length=True), batch_size=8, collate_fn=pad_left)
