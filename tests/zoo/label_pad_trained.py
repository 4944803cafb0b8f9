"""Answers padded to the longest of the batch, labels too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import BOS, EOS, IGNORED, PAD, Chats, Sample, collate, loader, padded, sample, words

MASKED = 7


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


def masked_words(samples: Sequence[Sample], spare: bool) -> dict[str, torch.Tensor]:
    """A seventh of all positions is hidden and learned; padding may be among them."""
    batch = collate(samples)
    ids, places = batch["input_ids"], torch.arange(batch["input_ids"].numel()).view(batch["input_ids"].shape)
    chosen = places % 7 == 3
    if spare:
        chosen &= batch["attention_mask"].bool()
    return {
        **batch,
        "input_ids": ids.masked_fill(chosen, MASKED),
        "labels": ids.masked_fill(~chosen, IGNORED),
    }


def broken_masked_words() -> DataLoader[Any]:
    """Words to be guessed are chosen among the padding too."""
    return loader(Chats(), partial(masked_words, spare=False))


def healthy_masked_words() -> DataLoader[Any]:
    """Only words of the text are chosen."""
    return loader(Chats(), partial(masked_words, spare=True))


def tagged(number: int) -> Sample:
    """A class for each word, none for the special tokens."""
    ids = sample(number)["input_ids"]
    tags = [IGNORED if one in (BOS, EOS) else one % 5 for one in ids]
    return {"input_ids": ids, "labels": tags}


def broken_tags() -> DataLoader[Any]:
    """Classes of words are padded with class 0, "outside"."""
    return loader(Chats(make=tagged), partial(pad_all, label_pad=0))


def healthy_tags() -> DataLoader[Any]:
    """Classes of words are no misplaced words, and nobody wants an end token among them."""
    return loader(Chats(make=tagged))


def healthy_loss_that_ignores_the_pad_id() -> DataLoader[Any]:
    """Inputs and targets of a plain loop, whose loss has `ignore_index=0`; nothing in the data says so."""

    def pairs(samples: Sequence[Sample]) -> tuple[torch.Tensor, torch.Tensor]:
        ids = collate(samples)["input_ids"]
        return ids[:, :-1], ids[:, 1:]

    return loader(Chats(), pairs)


def broken_summaries() -> DataLoader[Any]:
    """Source and summary of one fixed width; the labels are padded with the pad id of the model."""
    return loader(Chats(make=summary), partial(translated, label_pad=PAD))


def healthy_summaries() -> DataLoader[Any]:
    """The same with the ignored value: labels of the width of the source are a text of their own."""
    return loader(Chats(make=summary), partial(translated, label_pad=IGNORED))


def summary(number: int) -> Sample:
    """A source and its summary."""
    return {
        "input_ids": [*words(number, 20 + number % 7), EOS],
        "labels": [*words(900 + number, 8 + number % 5), EOS],
    }


def translated(samples: Sequence[Sample], label_pad: int) -> dict[str, torch.Tensor]:
    """Both texts padded to 32, each with its mask."""
    ids = padded([one["input_ids"] for one in samples], PAD, width=32)
    labels = padded([one["labels"] for one in samples], label_pad, width=32)
    known = padded([[1] * len(one["labels"]) for one in samples], 0, width=32)
    return {
        "input_ids": ids,
        "attention_mask": (ids != PAD).long(),
        "labels": labels,
        "decoder_attention_mask": known,
    }
