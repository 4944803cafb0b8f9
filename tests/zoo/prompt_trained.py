"""Only answers are to be trained."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, loader, sample, whole

INTENT = {"completion_only": True}


def broken() -> DataLoader[Any]:
    """Labels equal the ids, prompts included."""
    return loader(Chats(make=whole))


def fixed() -> DataLoader[Any]:
    """Prompts are ignored."""
    return loader(Chats(make=sample))
