"""Packed texts with cumulative lengths, which keep them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader

from tests.zoo._chat import Chats, Sample, loader, packed


def with_bounds(samples: Sequence[Sample], reset: bool) -> dict[str, torch.Tensor]:
    """Pack, and say where texts end."""
    lengths = [0, *(len(one["input_ids"]) for one in samples)]
    return {**packed(samples, reset=reset), "cu_seq_lens_q": torch.tensor(lengths).cumsum(0).to(torch.int32)}


def broken() -> DataLoader[Any]:
    """Positions run on through the pack."""
    return loader(Chats(), lambda samples: with_bounds(samples, reset=False))


def fixed() -> DataLoader[Any]:
    """Each text begins at 0."""
    return loader(Chats(), lambda samples: with_bounds(samples, reset=True))


def broken_beside() -> DataLoader[Any]:
    """The bounds are one token late, and the last one is right."""

    def late(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        batch = with_bounds(samples, reset=True)
        bounds = batch["cu_seq_lens_q"].clone()
        bounds[1:-1] += 1
        return {**batch, "cu_seq_lens_q": bounds}

    return loader(Chats(), late)
