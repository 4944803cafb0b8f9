"""A loader that insists on forked workers in a program that spawns its processes."""

from __future__ import annotations

import multiprocessing
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Pictures(Dataset[dict[str, Any]]):
    """32 pictures."""

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return {
            "image": torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(index)),
            "label": index % 4,
        }


def broken() -> DataLoader[Any]:
    """The lambda would not reach a worker that is spawned, as all others are here."""
    multiprocessing.set_start_method("spawn", force=True)
    return DataLoader(
        Pictures(),
        batch_size=8,
        num_workers=1,
        multiprocessing_context="fork",
        collate_fn=lambda samples: default_collate(samples),  # noqa: PLW0108 - the planted fault
    )


def fixed() -> DataLoader[Any]:
    """The function itself does."""
    multiprocessing.set_start_method("spawn", force=True)
    return DataLoader(
        Pictures(), batch_size=8, num_workers=1, multiprocessing_context="fork", collate_fn=default_collate
    )


def healthy_where_all_is_forked() -> DataLoader[Any]:
    """A lambda under the default of this platform is a note at most."""
    return DataLoader(
        Pictures(),
        batch_size=8,
        num_workers=1,
        multiprocessing_context="fork",
        collate_fn=lambda samples: default_collate(samples),  # noqa: PLW0108 - the planted fault
    )
