"""DL411: pictures lie in one file that workers share, and captions in memory; only the pictures move."""

import random
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

SIZE, COUNT = 64, 64


PICTURES = Path(random.__file__)
"""Any file with enough bytes that do not repeat."""


class Captioned(Dataset):
    """Opens the file at once, or in each process on first use."""

    def __init__(self, *, lazy, captions=True):
        self.path = PICTURES
        self.captions = [f"a caption of picture {index}" for index in range(COUNT)] if captions else None
        self.file = None if lazy else self.path.open("rb", buffering=0)

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        if not 0 <= index < COUNT:
            raise IndexError(index)
        if self.file is None:
            self.file = self.path.open("rb", buffering=0)
        self.file.seek(SIZE * index)
        image = torch.frombuffer(bytearray(self.file.read(SIZE)), dtype=torch.uint8).reshape(1, 8, 8)
        return {"image": image, "caption": self.captions[index]} if self.captions else {"image": image}


def broken():
    return DataLoader(Captioned(lazy=False), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Captioned(lazy=True), batch_size=4, num_workers=2)


def healthy_one_part():
    """Wrong too, and another rule's: nothing can be paired wrongly."""
    return DataLoader(Captioned(lazy=False, captions=False), batch_size=4, num_workers=2)


def shifted_by_worker(samples):
    """Takes the number of its worker for a place in the batch."""
    worker = get_worker_info()
    captions = [one["caption"] for one in samples]
    shift = worker.id + 1 if worker else 0
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "caption": captions[shift:] + captions[:shift],
    }


def together(samples):
    worker = get_worker_info()
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "caption": [one["caption"] for one in samples],
        "worker": worker.id if worker else -1,
    }


def broken_collate():
    return DataLoader(Captioned(lazy=True), batch_size=4, num_workers=2, collate_fn=shifted_by_worker)


def healthy_collate():
    return DataLoader(Captioned(lazy=True), batch_size=4, num_workers=2, collate_fn=together)
