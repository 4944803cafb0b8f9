"""Prompts for batched generation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import IGNORED, Chats, Sample, collate, loader, padded, turn

INTENT = {"role": "generate"}


def prompt(number: int) -> Sample:
    """A question that ends with the marker."""
    ids = turn(number).prompt
    return {"input_ids": ids, "labels": ids}


def prompts(samples: Sequence[Sample], left: bool) -> dict[str, torch.Tensor]:
    """Pad prompts."""
    batch = collate(samples, left=left)
    return {name: batch[name] for name in ("input_ids", "attention_mask")}


def broken() -> DataLoader[Any]:
    """Padding stands where generation goes on."""
    return loader(Chats(make=prompt), partial(prompts, left=False))


def fixed() -> DataLoader[Any]:
    """Padding stands before the prompts."""
    return loader(Chats(make=prompt), partial(prompts, left=True))


def labelled(samples: Sequence[Sample], left: bool) -> dict[str, torch.Tensor]:
    """Ids padded before the text, labels on a side of their own."""
    batch = collate(samples, left=True)
    return {**batch, "labels": padded([one["labels"] for one in samples], IGNORED, left=left)}


def broken_sides_differ() -> DataLoader[Any]:
    """Ids are padded before the text and labels behind it: labels name tokens that stand elsewhere."""
    return loader(Chats(), partial(labelled, left=False))


def healthy_sides() -> DataLoader[Any]:
    """Both are padded before the text."""
    return loader(Chats(), partial(labelled, left=True))
