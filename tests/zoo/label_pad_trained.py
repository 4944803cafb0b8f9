"""Answers padded to the longest of the batch, labels too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import (
    BOS,
    EOS,
    IGNORED,
    PAD,
    Chats,
    Sample,
    collate,
    loader,
    padded,
    sample,
    whole,
    words,
)

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

    return loader(Chats(make=whole), pairs)


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


def translation(number: int) -> Sample:
    """A sentence and its translation, now longer and now shorter than it, of one small vocabulary."""
    ids, answer = words(number, 17 + number % 7), words(500 + number, 17 + 3 * number % 7)
    return {
        "input_ids": [*(9 + one % 40 for one in ids), EOS],
        "labels": [*(9 + one % 40 for one in answer), EOS],
    }


def in_eights(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Both texts padded to the next multiple of 8, so that they are of one width now and then."""

    def wide(name: str, fill: int) -> torch.Tensor:
        longest = max(len(one[name]) for one in samples)
        return padded([one[name] for one in samples], fill, width=longest + -longest % 8)

    ids = wide("input_ids", PAD)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": wide("labels", IGNORED)}


def healthy_translations() -> DataLoader[Any]:
    """A translation goes on where a shorter sentence has ended: that is no trained padding."""
    return loader(Chats(make=translation), in_eights)


def spoken(number: int) -> dict[str, Any]:
    """A sound and what is said in it."""
    return {
        "input_values": torch.sin(torch.arange(400 + 50 * (number % 5)) * (0.1 + number % 7 / 10)),
        "labels": [*words(number, 6 + number % 9), EOS],
    }


def heard(samples: Sequence[Any], label_pad: int) -> dict[str, torch.Tensor]:
    """Pad both."""
    return {
        "input_values": torch.nn.utils.rnn.pad_sequence([one["input_values"] for one in samples], True),
        "labels": padded([one["labels"] for one in samples], label_pad),
    }


def broken_transcripts() -> DataLoader[Any]:
    """What a model of transformers is to answer to a sound is padded with 0."""
    return loader(Chats(make=spoken), partial(heard, label_pad=PAD))


def healthy_transcripts() -> DataLoader[Any]:
    """The same with the ignored value."""
    return loader(Chats(make=spoken), partial(heard, label_pad=IGNORED))
