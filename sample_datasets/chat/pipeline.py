"""Conversations for supervised fine-tuning: only what the assistant says, and its <eos>, is trained.

`make_loader` is healthy. Each of the other makers has one fault that real pipelines have had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

DATA = Path(__file__).resolve().parent / "data"
BATCH_SIZE = 8
MAX_LENGTH = 256
IGNORE_INDEX = -100

VARIANTS = {
    "make_loader_with_padding_to_max_length": "padding-waste",
    "make_loader_with_pasted_log": "outlier-size",
    "make_loader_with_deleted_conversation": "empty-text",
    "make_loader_with_pad_as_eos": "eos-never-trained",
    "make_loader_with_truncated_answers": "all-labels-ignored",
}

Sample = dict[str, Any]


class ChatTokenizer:
    """Turns messages into token ids and says which of them the assistant wrote."""

    def __init__(self, vocab_file: Path) -> None:
        self.vocab: dict[str, int] = json.loads(vocab_file.read_text(encoding="utf-8"))
        self.pad_id, self.eos_id = self.vocab["<pad>"], self.vocab["<eos>"]

    def encode(self, text: str) -> list[int]:
        tokens = re.findall(r"[a-z]+|\d|[^a-z\d\s]", text.lower())
        return [self.vocab.get(token, self.vocab["<unk>"]) for token in tokens]

    def apply_chat_template(self, messages: list[dict[str, str]]) -> tuple[list[int], list[bool]]:
        ids, is_answer = [self.vocab["<bos>"]], [False]
        for message in messages:
            content = self.encode(message["content"])
            answer = message["role"] == "assistant"
            if answer:
                content.append(self.eos_id)
            ids += [self.vocab[f"<|{message['role']}|>"], *content]
            is_answer += [False] + [answer] * len(content)
        return ids, is_answer


class ChatDataset(Dataset[Sample]):
    """Tokenises one conversation, with labels that ignore everything but the answers."""

    def __init__(self, file: str = "conversations.jsonl", max_length: int = MAX_LENGTH) -> None:
        lines = (DATA / file).read_text(encoding="utf-8").splitlines()
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.tokenizer = ChatTokenizer(DATA / "vocab.json")
        self.max_length = max_length

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Sample:
        row = self.rows[index]
        ids, is_answer = self.tokenizer.apply_chat_template(row["messages"])
        input_ids = torch.tensor(ids[: self.max_length])
        trained = torch.tensor(is_answer[: self.max_length])
        return {
            "id": row["id"],
            "input_ids": input_ids,
            "labels": torch.where(trained, input_ids, IGNORE_INDEX),
        }


class LengthGroupedSampler(Sampler[int]):
    """Shuffles, then sorts within each stretch of a few batches, so that a batch has similar lengths."""

    def __init__(self, lengths: list[int], batch_size: int, batches_per_group: int = 5) -> None:
        self.lengths = lengths
        self.batch_size = batch_size
        self.group = batch_size * batches_per_group

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[int]:
        order = torch.randperm(len(self.lengths)).tolist()
        groups = [order[start : start + self.group] for start in range(0, len(order), self.group)]
        for group in groups:
            group.sort(key=lambda index: self.lengths[index], reverse=True)
            starts = range(0, len(group), self.batch_size)
            for number in torch.randperm(len(starts)).tolist():
                yield from group[starts[number] : starts[number] + self.batch_size]


class Collate:
    """Pads on the right to the longest row of the batch; padding is neither attended to nor trained."""

    def __init__(self, pad_id: int) -> None:
        self.pad_id = pad_id

    def __call__(self, samples: list[Sample]) -> dict[str, Any]:
        input_ids = [sample["input_ids"] for sample in samples]
        labels = [sample["labels"] for sample in samples]
        return {
            "id": [sample["id"] for sample in samples],
            "input_ids": pad_sequence(input_ids, batch_first=True, padding_value=self.pad_id),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in input_ids], batch_first=True),
            "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORE_INDEX),
        }


def make_loader(dataset: ChatDataset | None = None, collate: Collate | None = None) -> DataLoader[Sample]:
    """The healthy training loader."""
    dataset = dataset or ChatDataset()
    lengths = [len(dataset[index]["input_ids"]) for index in range(len(dataset))]
    return DataLoader(
        dataset,
        batch_size=BATCH_SIZE,
        sampler=LengthGroupedSampler(lengths, BATCH_SIZE),
        num_workers=2,
        collate_fn=collate or Collate(dataset.tokenizer.pad_id),
        drop_last=True,
    )


class MaxLengthCollate(Collate):
    """Pads every batch to the longest row that is allowed."""

    def __call__(self, samples: list[Sample]) -> dict[str, Any]:
        batch = super().__call__(samples)
        missing = MAX_LENGTH - batch["input_ids"].shape[1]
        for key, value in (("input_ids", self.pad_id), ("attention_mask", 0), ("labels", IGNORE_INDEX)):
            batch[key] = torch.nn.functional.pad(batch[key], (0, missing), value=value)
        return batch


def make_loader_with_padding_to_max_length() -> DataLoader[Sample]:
    """Most of each batch is padding."""
    dataset = ChatDataset()
    return make_loader(dataset, MaxLengthCollate(dataset.tokenizer.pad_id))


def make_loader_with_pasted_log() -> DataLoader[Sample]:
    """Nothing limits the length, and somebody pasted a log five times as long as the rest."""
    return make_loader(ChatDataset("conversations_with_a_pasted_log.jsonl", max_length=4096))


def make_loader_with_deleted_conversation() -> DataLoader[Sample]:
    """One conversation has no messages, and only <bos> is left of it."""
    return make_loader(ChatDataset("conversations_with_a_deleted_one.jsonl"))


class PadMaskingCollate(Collate):
    """Ignores every label that is the pad id."""

    def __call__(self, samples: list[Sample]) -> dict[str, Any]:
        batch = super().__call__(samples)
        return {**batch, "labels": batch["labels"].masked_fill(batch["labels"] == self.pad_id, IGNORE_INDEX)}


def make_loader_with_pad_as_eos() -> DataLoader[Sample]:
    """Padding with <eos> and ignoring it everywhere leaves no <eos> that is trained."""
    dataset = ChatDataset()
    return make_loader(dataset, PadMaskingCollate(dataset.tokenizer.eos_id))


def make_loader_with_truncated_answers() -> DataLoader[Sample]:
    """The limit is shorter than many prompts, whose answers are cut off."""
    return make_loader(ChatDataset(max_length=32))
