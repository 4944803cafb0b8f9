"""Ids of a tokenizer that knows more words than the embedding has rows."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, Sample, loader, sample

INTENT = {"vocab_size": 1000, "image_token_id": (-200,)}


def with_token(number: int, token: int) -> Sample:
    """Put a token into every fourth prompt."""
    one = sample(number)
    if number % 4 == 1:
        one["input_ids"][2] = token
    return one


def broken() -> DataLoader[Any]:
    """A token was added, and the embedding was not resized."""
    return loader(Chats(make=lambda number: with_token(number, 1000)))


def fixed() -> DataLoader[Any]:
    """The last id that the embedding has."""
    return loader(Chats(make=lambda number: with_token(number, 999)))


def healthy_declared_placeholder() -> DataLoader[Any]:
    """A negative id that stands for an image, and is declared."""
    return loader(Chats(make=lambda number: with_token(number, -200)))
