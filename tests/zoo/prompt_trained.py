"""Only answers are to be trained."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, conversation, loader, sample, whole

INTENT = {"completion_only": True}


def broken() -> DataLoader[Any]:
    """Labels equal the ids, prompts included."""
    return loader(Chats(make=whole))


def fixed() -> DataLoader[Any]:
    """Prompts are ignored."""
    return loader(Chats(make=sample))


def healthy_answers_of_conversations() -> DataLoader[Any]:
    """Every answer of several turns is trained, and nothing else."""
    return loader(Chats(make=lambda number: conversation(number, last_only=False)))


def healthy_last_answers() -> DataLoader[Any]:
    """Only the last answer is trained: a note, for it may be meant."""
    return loader(Chats(make=lambda number: conversation(number, last_only=True)))
