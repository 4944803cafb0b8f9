"""An optional key that batches lose when their first sample lacks it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Clips(Dataset[dict[str, Any]]):
    """Sound features; clips 8 and 24 begin a recording and have no previous one."""

    def __init__(self, always: bool) -> None:
        self.always = always

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        clip = torch.randn(20, generator=torch.Generator().manual_seed(index))
        sample: dict[str, Any] = {"clip": clip, "label": index % 4, "path": f"clips/{index:03d}.wav"}
        if self.always or index % 16 != 8:
            sample["previous"] = clip - 0.5
        return sample


def broken() -> DataLoader[Any]:
    """Batches that begin a recording come without `previous`, the others with it."""
    return DataLoader(Clips(always=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """Every clip has the key."""
    return DataLoader(Clips(always=True), batch_size=8)


def without_path(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Leave out what the model does not need."""
    kept = [{key: value for key, value in sample.items() if key != "path"} for sample in samples]
    batch: dict[str, Any] = default_collate(kept)
    return batch


def healthy_meta_left_out() -> DataLoader[Any]:
    """The paths are left out of every batch on purpose."""
    return DataLoader(Clips(always=True), batch_size=8, collate_fn=without_path)


def renamed_and_joined(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Every field arrives, none under its name."""
    pairs = [one["clip"] for one in samples] + [one["previous"] for one in samples]
    return {
        "inputs": torch.stack(pairs),
        "targets": torch.tensor([one["label"] for one in samples]),
        "names": [one["path"].rsplit("/", 1)[1] for one in samples],
    }


def healthy_renamed_and_joined() -> DataLoader[Any]:
    """Clips and their previous ones follow one another in one tensor, as pairs of a reward model do."""
    return DataLoader(Clips(always=True), batch_size=8, collate_fn=renamed_and_joined)
