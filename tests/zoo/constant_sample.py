"""Pictures from the web, one of which was deleted: the server sends a grey placeholder in its place."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

DELETED = 5


def downloaded(number: int) -> bytes:
    """Return a small JPEG with a texture of its own, or the placeholder."""
    pixels = np.random.default_rng(number).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    if number == DELETED:
        pixels[:] = 200
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG")
    return buffer.getvalue()


class Photographs(Dataset[dict[str, Any]]):
    """48 photographs with labels."""

    def __init__(self, leave_out: bool) -> None:
        self.numbers = [n for n in range(48) if not (leave_out and n == DELETED)]
        self.files = [downloaded(n) for n in self.numbers]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> dict[str, Any]:
        pixels = np.array(Image.open(io.BytesIO(self.files[index])).convert("RGB"))
        image = torch.from_numpy(pixels).permute(2, 0, 1).float() / 255
        return {"image": image, "label": self.numbers[index] % 3}


def broken() -> DataLoader[Any]:
    """The placeholder goes into training with a label."""
    return DataLoader(Photographs(leave_out=False), batch_size=8)


def fixed() -> DataLoader[Any]:
    """It is left out."""
    return DataLoader(Photographs(leave_out=True), batch_size=8)


class Recordings(Dataset[dict[str, Any]]):
    """40 clips of an eighth of a second."""

    def __init__(self, muted: tuple[int, ...]) -> None:
        self.muted = muted

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        clip = 0.1 * torch.randn(5000, generator=torch.Generator().manual_seed(index))
        return {"audio": clip * 0 if index in self.muted else clip, "label": index % 2}


def broken_silence() -> DataLoader[Any]:
    """One clip was recorded with the microphone off."""
    return DataLoader(Recordings(muted=(9,)), batch_size=8)


class Segmented(Dataset[dict[str, torch.Tensor]]):
    """Pictures with a black border, a mask that is often all background, and weights of one."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        image = torch.zeros(3, 24, 24)
        image[:, 6:18, 6:18] = torch.rand(3, 12, 12, generator=torch.Generator().manual_seed(index))
        mask = torch.zeros(24, 24, dtype=torch.long)
        if index % 5 == 0:
            mask[8:12, 8:12] = 3
        return {
            "image": image,
            "mask": mask,
            "loss_weights": torch.ones(24),
            "label": torch.tensor(index % 4),
        }


def healthy_masks_and_borders() -> DataLoader[Any]:
    """An empty mask, a black border and weights of one are what they should be."""
    return DataLoader(Segmented(), batch_size=8)


class Packed(Dataset[dict[str, torch.Tensor]]):
    """Token rows whose segment ids, loss mask and attention mask have one value."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        ids = torch.randint(5, 900, (32,), generator=torch.Generator().manual_seed(index))
        return {
            "input_ids": ids,
            "attention_mask": torch.ones(32),
            "segment_ids": torch.zeros(32, dtype=torch.long),
            "labels": torch.full((32,), -100) if index == 3 else ids.clone(),
        }


def healthy_one_valued_token_fields() -> DataLoader[Any]:
    """Masks, segments and labels of one value say nothing about the text."""
    return DataLoader(Packed(), batch_size=8)


class Modalities(Dataset[dict[str, torch.Tensor]]):
    """Pictures and embeddings, each dropped at random in a sixth of the samples."""

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        source = torch.Generator().manual_seed(index)
        parts = {
            "image": torch.rand(3, 24, 24, generator=source),
            "embedding": torch.randn(32, generator=source),
        }
        return {name: part * (torch.rand(()) > 1 / 6) for name, part in parts.items()}


def healthy_modality_dropout() -> DataLoader[Any]:
    """Another sample lacks its picture each time."""
    return DataLoader(Modalities(), batch_size=8)
