"""A declared limit on padding that the order of the rows breaks: long and short texts share a batch."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

INTENT = {"budgets": {"padding": 0.1}}

Row = list[int]


class Reviews(Dataset[dict[str, Row]]):
    """64 tokenised reviews of 20 to 35 tokens, sorted by length on request."""

    def __init__(self, by_length: bool) -> None:
        lengths = [20 + (7 * number) % 16 for number in range(64)]
        self.lengths = sorted(lengths) if by_length else lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> dict[str, Row]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        generator = torch.Generator().manual_seed(index)
        return {"input_ids": torch.randint(5, 900, (self.lengths[index],), generator=generator).tolist()}


def pad(samples: list[dict[str, Row]]) -> dict[str, torch.Tensor]:
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
    """A fifth of the positions is padding, and a tenth was allowed."""
    return DataLoader(Reviews(by_length=False), batch_size=8, collate_fn=pad)


def fixed() -> DataLoader[Any]:
    """Rows of similar length lie together."""
    return DataLoader(Reviews(by_length=True), batch_size=8, collate_fn=pad)
