"""A length limit that some conversations exceed."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import EOS, IGNORED, Chats, Sample, loader, turn

INTENT = {"eos_id": EOS}


class Limited(Chats):
    """Every eighth answer is long; conversations are cut at `max_length`."""

    def __init__(self, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < len(self):
            raise IndexError(index)
        one = turn(index, answer=30 if index % 8 == 3 else 18)
        made = {"input_ids": one.prompt + one.answer, "labels": [IGNORED] * len(one.prompt) + one.answer}
        return {name: row[: self.max_length] for name, row in made.items()}


def broken() -> DataLoader[Any]:
    """One answer of eight is cut."""
    return loader(Limited(max_length=36))


def fixed() -> DataLoader[Any]:
    """All fit."""
    return loader(Limited(max_length=64))
