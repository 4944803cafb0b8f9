"""Answers padded to the longest of the batch, labels too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import EOS, IGNORED, PAD, Chats, Sample, collate, loader, padded


def pad_all(samples: Sequence[Sample], label_pad: int) -> dict[str, torch.Tensor]:
    """Pad labels with a value of one's own."""
    batch = collate(samples)
    return {**batch, "labels": padded([one["labels"] for one in samples], label_pad)}


def broken() -> DataLoader[Any]:
    """Labels are padded with the pad id, which the loss counts."""
    return loader(Chats(), partial(pad_all, label_pad=PAD))


def fixed() -> DataLoader[Any]:
    """Labels are padded with the ignored value."""
    return loader(Chats(), partial(pad_all, label_pad=IGNORED))


def broken_without_mask() -> DataLoader[Any]:
    """The same without an attention mask; the lengths of the samples tell padding."""

    def bare(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        batch = pad_all(samples, PAD)
        return {name: batch[name] for name in ("input_ids", "labels")}

    return loader(Chats(), bare)


def healthy_end_token_as_padding() -> DataLoader[Any]:
    """Padding is the end token, and labels are made from lengths: the real end is trained."""
    return loader(Chats(), partial(collate, pad=EOS))


def healthy_left_padding() -> DataLoader[Any]:
    """Padding before the text, ignored."""
    return loader(Chats(), partial(collate, left=True))
