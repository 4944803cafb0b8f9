"""A stream of images, texts and classes out of tar files, split over ranks and workers by shard.

`make_loader` is healthy. Each of the other makers has one fault that real pipelines have had.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

DATA = Path(__file__).resolve().parent / "data"
SHARDS = [f"train-{number:03}.tar" for number in range(4)]
IMAGE_SIZE = 64
SHUFFLE_BUFFER = 16
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)

VARIANTS = {
    "make_loader_with_lost_text": "incomplete-members",
    "make_loader_with_wrong_extension": "no-batches",
    "make_loader_with_outdated_length": "length-mismatch",
    "make_loader_without_worker_split": "worker-duplicates",
}

Sample = dict[str, Any]


def read_tar(path: Path) -> Iterator[dict[str, Any]]:
    """Group neighbouring members of one key: `000017.jpg` and `000017.txt` are one sample."""
    sample: dict[str, Any] = {}
    with tarfile.open(path) as tar:
        for member in tar:
            key, _, extension = member.name.partition(".")
            if sample and sample["__key__"] != key:
                yield sample
                sample = {}
            file = tar.extractfile(member)
            if file is not None:
                sample["__key__"] = key
                sample[extension] = file.read()
    if sample:
        yield sample


def shuffle(samples: Iterator[Sample], buffer_size: int) -> Iterator[Sample]:
    """Hold back some samples and hand out a random one of them for each that comes in."""
    buffer: list[Sample] = []
    for sample in samples:
        buffer.append(sample)
        if len(buffer) > buffer_size:
            yield buffer.pop(int(torch.randint(len(buffer), ())))
    for position in torch.randperm(len(buffer)).tolist():
        yield buffer[position]


class ShardDataset(IterableDataset[Sample]):
    """Streams the shards of this rank and worker in a new order each epoch."""

    def __init__(self, shards: list[str] = SHARDS, image_key: str = "jpg") -> None:
        rank, world_size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        self.shards = shards[rank::world_size]
        self.image_key = image_key

    def split_by_worker(self) -> list[str]:
        worker = get_worker_info()
        return self.shards if worker is None else self.shards[worker.id :: worker.num_workers]

    def read(self) -> Iterator[Sample]:
        shards = self.split_by_worker()
        for number in torch.randperm(len(shards)).tolist():
            for sample in read_tar(DATA / shards[number]):
                if {self.image_key, "txt", "json"} <= sample.keys():
                    yield self.decode(sample)

    def decode(self, sample: Sample) -> Sample:
        image = Image.open(io.BytesIO(sample[self.image_key])).convert("RGB")
        side = min(image.size)
        left, top = (image.width - side) // 2, (image.height - side) // 2
        box = (left, top, left + side, top + side)
        image = image.resize((IMAGE_SIZE, IMAGE_SIZE), Image.Resampling.BILINEAR, box=box)
        pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255
        return {
            "__key__": sample["__key__"],
            "pixel_values": (pixels - MEAN) / STD,
            "text": sample["txt"].decode(),
            "label": json.loads(sample["json"])["label"],
        }

    def __iter__(self) -> Iterator[Sample]:
        return shuffle(self.read(), SHUFFLE_BUFFER)


def make_loader(dataset: ShardDataset | None = None) -> DataLoader[Sample]:
    """The healthy training loader."""
    return DataLoader(dataset or ShardDataset(), batch_size=8, num_workers=2, drop_last=True)


def make_loader_with_lost_text() -> DataLoader[Sample]:
    """One sample of the last shard has no text, and is skipped without a word."""
    dataset = ShardDataset([*SHARDS[:3], "lost-text-003.tar"])
    return make_loader(dataset)


def make_loader_with_wrong_extension() -> DataLoader[Sample]:
    """Asks for `jpeg` members where the shards hold `jpg`, so that no sample is left."""
    return make_loader(ShardDataset(image_key="jpeg"))


class CountedDataset(ShardDataset):
    """Takes its length from the counts that were written when the shards were made."""

    def __len__(self) -> int:
        counts: dict[str, int] = json.loads((DATA / "counts.json").read_text(encoding="utf-8"))
        return sum(counts[shard] for shard in self.shards)


def make_loader_with_outdated_length() -> DataLoader[Sample]:
    """The shards were filtered after they were counted, and hold fewer samples than promised."""
    return make_loader(CountedDataset())


class UnsplitDataset(ShardDataset):
    """Gives every worker every shard."""

    def split_by_worker(self) -> list[str]:
        return self.shards


def make_loader_without_worker_split() -> DataLoader[Sample]:
    """Each worker reads all shards, so that every sample comes twice."""
    return make_loader(UnsplitDataset())
