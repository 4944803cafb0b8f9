"""Packed texts with a mask of who may attend to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import EOS, Chats, Sample, loader, packed, whole

INTENT = {"task": "sft", "eos_id": EOS}


def with_block(samples: Sequence[Sample], blocks: bool) -> dict[str, torch.Tensor]:
    """Pack with a square mask: causal, and in blocks or not."""
    batch = packed(samples)
    numbers = torch.cat([torch.full((len(one["input_ids"]),), number) for number, one in enumerate(samples)])
    size = len(numbers)
    causal = torch.ones(size, size).tril().bool()
    mask = causal & (numbers[:, None] == numbers[None, :]) if blocks else causal
    return {**batch, "attention_mask": mask[None]}


def broken() -> DataLoader[Any]:
    """The mask is causal over the whole pack."""
    return loader(Chats(), lambda samples: with_block(samples, blocks=False), batch=4)


def fixed() -> DataLoader[Any]:
    """Each text has its own block."""
    return loader(Chats(), lambda samples: with_block(samples, blocks=True), batch=4)


def broken_nothing() -> DataLoader[Any]:
    """Texts end to end, positions that run on, and nothing else."""
    return loader(Chats(), lambda samples: packed(samples, reset=False))


def broken_windows() -> DataLoader[Any]:
    """Windows of one length, cut from all texts end to end: only end tokens tell the texts apart."""
    run = [one for number in range(160) for one in whole(number)["input_ids"]]
    rows = [torch.tensor(run[start : start + 64]) for start in range(0, len(run) - 64, 64)]
    return DataLoader([{"input_ids": row, "labels": row.clone()} for row in rows], batch_size=4)  # type: ignore[arg-type]


def healthy_restarts() -> DataLoader[Any]:
    """Positions that begin anew and no mask: attention goes by them."""
    return loader(Chats(), packed)
