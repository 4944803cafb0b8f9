"""Captions that a filter for rare words emptied, in a set of pictures and captions."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

WORDS = ("a", "small", "red", "boat", "dog", "runs", "over", "green", "field", "under", "clouds", "quickly")
RARE = (11, 30, 41)


def caption(number: int) -> str:
    """Return a caption of its own for each number."""
    return (
        " ".join(WORDS[(number * step + step) % len(WORDS)] for step in range(1, 5 + number % 4))
        + f" {number}"
    )


class Captions(Dataset[dict[str, Any]]):
    """48 pictures with captions, three of which held rare words only."""

    def __init__(self, leave_out: bool) -> None:
        self.numbers = [n for n in range(48) if not (leave_out and n in RARE)]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> dict[str, Any]:
        number = self.numbers[index]
        image = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(number))
        return {"image": image, "caption": "" if number in RARE else caption(number)}


def broken() -> DataLoader[Any]:
    """Three pictures are paired with nothing."""
    return DataLoader(Captions(leave_out=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """They are left out of the list."""
    return DataLoader(Captions(leave_out=True), batch_size=8)


class Instructions(Dataset[dict[str, str]]):
    """Instructions with an input that most of them do not need, and rare notes."""

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> dict[str, str]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {
            "instruction": f"describe the {caption(index)}",
            "input": caption(index + 50) if index % 3 == 0 else "",
            "output": f"it is {caption(index + 100)}",
            "notes": "checked by hand" if index % 10 == 0 else "",
        }


def healthy_optional_text() -> DataLoader[Any]:
    """An input is not needed for every instruction, and notes are rare."""
    return DataLoader(Instructions(), batch_size=8)


class Guided(Captions):
    """Captions of which one in five is left out at random, for guidance without a classifier."""

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        sample = super().__getitem__(index)
        return {**sample, "caption": ""} if torch.rand(()) < 0.2 else sample


def healthy_dropped_captions() -> DataLoader[Any]:
    """Each caption is there most of the time."""
    return DataLoader(Guided(leave_out=True), batch_size=8)


def broken_beside_dropped() -> DataLoader[Any]:
    """Three captions are never there, whatever is dropped."""
    return DataLoader(Guided(leave_out=False), batch_size=8)
