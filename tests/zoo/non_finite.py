"""A silent recording, normalised by its own spread, which is 0."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

SILENT = 7


class Recordings(Dataset[dict[str, Any]]):
    """32 recordings of 64 values, of which number 7 is silent."""

    def __init__(self, leave_out: bool) -> None:
        self.numbers = [n for n in range(32) if not (leave_out and n == SILENT)]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> dict[str, Any]:
        number = self.numbers[index]
        x = torch.randn(64, generator=torch.Generator().manual_seed(number)) * (number != SILENT)
        return {"features": (x - x.mean()) / x.std(), "target": number % 4}


def broken() -> DataLoader[Any]:
    """0 / 0 is NaN."""
    return DataLoader(Recordings(leave_out=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """The silent recording is left out."""
    return DataLoader(Recordings(leave_out=True), batch_size=8)


class Spectra(Dataset[dict[str, Any]]):
    """32 spectra, of which number 3 has an empty band."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        energy = torch.rand(40, generator=torch.Generator().manual_seed(index)) + 0.01
        if index == 3:
            energy[12] = 0
        return {"spectrum": energy.log(), "target": index % 4}


def broken_logarithm() -> DataLoader[Any]:
    """The logarithm of 0 is minus infinity."""
    return DataLoader(Spectra(), batch_size=8)


class Values(Dataset[dict[str, Any]]):
    """32 rows of features that arrive as they are."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        x = torch.randn(8, generator=torch.Generator().manual_seed(index))
        return {"features": x, "target": index % 4, "weight": 0.0 if 8 <= index < 16 else 1.0}


def weigh(samples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Share the weights of a batch so that they sum to 1, and forget that they may all be 0."""
    weight = torch.tensor([sample["weight"] for sample in samples])
    return {
        "features": torch.stack([sample["features"] for sample in samples]),
        "target": torch.tensor([sample["target"] for sample in samples]),
        "weight": weight / weight.sum(),
    }


def broken_collate() -> DataLoader[Any]:
    """The samples are finite; the collate divides by zero in the second batch."""
    return DataLoader(Values(), batch_size=8, collate_fn=weigh)


class Attended(Dataset[dict[str, torch.Tensor]]):
    """Token rows with an additive attention mask: 0 where a token may look, else minus infinity."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        ids = torch.randint(5, 900, (12,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids, "attention_mask": torch.full((12, 12), float("-inf")).triu(1)}


def healthy_additive_mask() -> DataLoader[Any]:
    """Minus infinity beside zeros is a mask."""
    return DataLoader(Attended(), batch_size=8)


class Gappy(Values):
    """Readings of a sensor with gaps, which the collate fills."""

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample = super().__getitem__(index)
        sample["features"][index % 8] = float("nan")
        return {"features": sample["features"], "target": sample["target"]}


def fill(samples: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Replace gaps by the mean, which is 0."""
    features = torch.stack([sample["features"] for sample in samples])
    return {
        "features": features.nan_to_num(0.0),
        "target": torch.tensor([sample["target"] for sample in samples]),
    }


def healthy_filled_gaps() -> DataLoader[Any]:
    """NaN marks a gap, and no batch holds one."""
    return DataLoader(Gappy(), batch_size=8, collate_fn=fill)
