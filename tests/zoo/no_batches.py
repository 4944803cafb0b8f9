"""A stream that keeps only samples of a language, whose name is spelt otherwise in the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate

LIMITS = {"timeout_s": 2.0}


class Sentences(IterableDataset[dict[str, Any]]):
    """24 rows, half of them marked ``en`` and half ``de``; `rounds` of them are read."""

    def __init__(self, language: str, rounds: int | None = 1) -> None:
        self.language = language
        self.rounds = rounds

    def __iter__(self) -> Iterator[dict[str, Any]]:
        done = 0
        while self.rounds is None or done < self.rounds:
            for index in range(24):
                if ("en", "de")[index % 2] == self.language:
                    yield {"tokens": torch.arange(8) + index + 1, "row": index}
            done += 1


def broken() -> DataLoader[Any]:
    """No row is marked ``english``."""
    return DataLoader(Sentences("english"), batch_size=4)


def fixed() -> DataLoader[Any]:
    """The filter asks for what is there."""
    return DataLoader(Sentences("en"), batch_size=4)


def broken_endless() -> DataLoader[Any]:
    """An endless stream with the same filter goes round for ever."""
    return DataLoader(Sentences("english", rounds=None), batch_size=4)


def broken_drop_last() -> DataLoader[Any]:
    """Twelve samples do not fill a batch of 16."""
    return DataLoader(Sentences("en"), batch_size=16, drop_last=True)


class Scans(Dataset[dict[str, Any] | None]):
    """Scans with a quality mark; from number 8 to 15 all are bad."""

    def __init__(self, files: int) -> None:
        self.files = files

    def __len__(self) -> int:
        return self.files

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        scan = torch.rand(1, 12, 12, generator=torch.Generator().manual_seed(index))
        return {"scan": scan, "good": not 8 <= index < 16}


def only_good(samples: list[dict[str, Any]]) -> Any:
    """Keep whole samples that are good."""
    kept = [sample for sample in samples if sample["good"]]
    return default_collate(kept) if kept else None


def broken_empty_folder() -> DataLoader[Any]:
    """A pattern that matched no file."""
    return DataLoader(Scans(0), batch_size=4)


def broken_empty_batch() -> DataLoader[Any]:
    """In one batch no sample is left."""
    return DataLoader(Scans(32), batch_size=8, collate_fn=only_good)


def healthy_filter() -> DataLoader[Any]:
    """The same filter leaves something in every batch."""
    return DataLoader(Scans(32), batch_size=12, collate_fn=only_good)
