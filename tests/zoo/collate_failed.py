"""A collate that turns scores into numbers meets one that is none."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

WORDS = "a small red boat lies near the old grey harbour wall under low clouds".split()


class Captions(Dataset[dict[str, Any]]):
    """Captions with a score; that of number 21 was filled in by hand."""

    def __init__(self, score: str) -> None:
        self.score = score

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        caption = " ".join(WORDS[index % 3 : 4 + index % 7]) + f" {index}"
        return {"caption": caption, "score": self.score if index == 21 else f"{index}.5"}


def scores(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Turn the scores into numbers."""
    values = torch.tensor([float(sample["score"]) for sample in samples])
    return {"caption": [sample["caption"] for sample in samples], "score": values}


def broken() -> DataLoader[Any]:
    """One cell of the table says ``n/a``."""
    return DataLoader(Captions("n/a"), batch_size=8, collate_fn=scores)


def fixed() -> DataLoader[Any]:
    """The cell has a number."""
    return DataLoader(Captions("7.0"), batch_size=8, collate_fn=scores)


class Tags(Dataset[dict[str, Any]]):
    """Tags as a set, which PyTorch's own collate does not know."""

    def __init__(self, container: type[set[str] | list[str]]) -> None:
        self.container = container

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {"value": torch.arange(6.0) + index, "tags": self.container([f"tag{index}", "photo"])}


def broken_every_batch() -> DataLoader[Any]:
    """No batch can be made: all samples are alike, and none fits."""
    return DataLoader(Tags(set), batch_size=4)


def healthy_tags() -> DataLoader[Any]:
    """Lists of one length collate."""
    return DataLoader(Tags(list), batch_size=4)


def broken_dtype_in_worker() -> DataLoader[Any]:
    """In a worker the first sample decides the dtype, and floats cannot become whole numbers."""
    return DataLoader(Counts(torch.int64), batch_size=4, num_workers=1)


class Counts(Dataset[torch.Tensor]):
    """Counts, whole in every fourth row."""

    def __init__(self, whole: torch.dtype) -> None:
        self.whole = whole

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return (torch.arange(5.0) + index).to(self.whole if index % 4 == 0 else torch.float32)
