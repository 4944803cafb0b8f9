"""Labels for a model that moves them itself."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, Sample, loader, whole, words

INTENT = {"labels_shifted_by": "model"}


def moved(number: int) -> Sample:
    """Pairs of a text and its continuation."""
    ids = whole(number)["input_ids"]
    return {"input_ids": ids[:-1], "labels": ids[1:]}


def broken() -> DataLoader[Any]:
    """The dataset has moved them already."""
    return loader(Chats(make=moved))


def fixed() -> DataLoader[Any]:
    """A copy of the ids."""
    return loader(Chats(make=whole))


def broken_two_apart() -> DataLoader[Any]:
    """Moved by the tokeniser's wrapper, and once more by the dataset."""

    def twice(number: int) -> Sample:
        ids = whole(number)["input_ids"]
        return {"input_ids": ids[:-2], "labels": ids[2:]}

    return loader(Chats(make=twice))


def broken_pair_two_apart() -> DataLoader[Any]:
    """Inputs and targets as a pair without names, the targets two places on."""

    def twice(number: int) -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.tensor(words(number, 24)) % 40
        return ids[:-2], ids[2:]

    return DataLoader(Chats(make=twice), batch_size=8)


def healthy_two_heads() -> DataLoader[Any]:
    """A second head learns the token after the next."""

    def heads(number: int) -> tuple[torch.Tensor, ...]:
        ids = torch.tensor(words(number, 24)) % 40
        return ids[:-2], ids[1:-1], ids[2:]

    return DataLoader(Chats(make=heads), batch_size=8)
