"""Packed texts that are learned as a whole."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, Sample, loader, packed, whole

INTENT = {"task": "sft"}


def broken() -> DataLoader[Any]:
    """The first token of each text is predicted from the text before it."""
    return loader(Chats(make=whole), lambda samples: packed(samples, first_ignored=False))


def fixed() -> DataLoader[Any]:
    """The first token of each text is ignored."""
    return loader(Chats(make=whole), packed)


class Window(Chats):
    """Windows of a running text in which the end token separates documents."""

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < len(self):
            raise IndexError(index)
        stream = [
            token for number in range(4 * index, 4 * index + 4) for token in whole(number)["input_ids"][1:]
        ]
        return {"input_ids": stream[:64], "labels": stream[:64]}


def healthy_end_token_only() -> DataLoader[Any]:
    """Documents that only the end token separates: the usual way of pretraining."""
    return loader(Window())
