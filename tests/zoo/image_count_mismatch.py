"""Tags in texts, and the images beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from tests.zoo._patches import EOS, IMAGE, TAG, Sample, padded

INTENT = {"image_token_id": (IMAGE,)}
EACH = 4
"""Placeholders of an image."""


def turns(index: int, quote: bool) -> list[dict[str, str]]:
    """A question with as many tags as images, and an answer; some quote the tag."""
    tags = " ".join([TAG] * images_of(index))
    answer = (
        f"the page says {TAG} here and nothing else that could be read"
        if quote and index % 16 == 5
        else f"it is number {index} and nothing else that could be read"
    )
    return [
        {
            "role": "user",
            "content": f"{tags} please look and say in a few words what is shown in example {index} of these".strip(),
        },
        {"role": "assistant", "content": answer},
    ]


def images_of(index: int) -> int:
    """None, one or two."""
    return (1, 1, 0, 2)[index % 4]


class Conversations(Dataset[Sample]):
    """Messages with their images."""

    def __init__(self, quote: bool = False, lose: bool = False) -> None:
        self.quote, self.lose = quote, lose

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < len(self):
            raise IndexError(index)
        made = torch.Generator().manual_seed(index)
        held = [torch.rand(3, 28, 28, generator=made) for _ in range(images_of(index))]
        if self.lose and index % 16 == 7:
            held = held[:1]
        return {"messages": turns(index, self.quote), "images": held}


def ids_of(text: str) -> list[int]:
    """A word is an id, a tag is the placeholders of an image."""
    found = []
    for word in text.split():
        found += [IMAGE] * EACH if word == TAG else [20 + sum(map(ord, word)) % 900]
    return found


def collate(samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
    """Every tag in every text is expanded."""
    rows = [[*ids_of(" ".join(turn["content"] for turn in one["messages"])), EOS] for one in samples]
    images = [image for one in samples for image in one["images"]]
    return {
        "input_ids": padded(rows),
        "attention_mask": padded([[1] * len(row) for row in rows]),
        "pixel_values": torch.stack(images),
    }


def loader(dataset: Dataset[Any]) -> DataLoader[Any]:
    """Return the loader."""
    return DataLoader(dataset, batch_size=8, collate_fn=collate)


def broken() -> DataLoader[Any]:
    """An answer quotes the tag."""
    return loader(Conversations(quote=True))


def broken_lost() -> DataLoader[Any]:
    """A sample has lost one of its images."""
    return loader(Conversations(lose=True))


def fixed() -> DataLoader[Any]:
    """As many tags as images; some samples are text alone."""
    return loader(Conversations())
