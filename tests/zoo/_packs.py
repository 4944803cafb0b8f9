"""Rows that a dataset packs with several documents and pads to one width itself."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset

from tests.zoo._chat import EOS, IGNORED, Sample, words


class Packs(Dataset[Sample]):
    """Rows of 64 with two or three documents, each ended; what is left of a row is padding."""

    def __init__(self, *, pad: int, ignore_pad: bool = False, rows: int = 24) -> None:
        self.pad, self.ignore_pad, self.rows = pad, ignore_pad, rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> Sample:
        if not 0 <= index < self.rows:
            raise IndexError(index)
        documents = [
            [*words(10 * index + place, 15 + (index + place) % 4), EOS] for place in range(2 + index % 2)
        ]
        ids = [one for document in documents for one in document]
        labels = [one if place else IGNORED for document in documents for place, one in enumerate(document)]
        if self.ignore_pad:
            labels = [IGNORED if one == self.pad else one for one in labels]
        rest = 64 - len(ids)
        return {
            "input_ids": torch.tensor(ids + [self.pad] * rest),
            "labels": torch.tensor(labels + [IGNORED] * rest),
            "position_ids": torch.tensor([at for one in documents for at in range(len(one))] + [0] * rest),
            "segment_ids": torch.tensor(
                [number for number, one in enumerate(documents, 1) for _ in one] + [0] * rest
            ),
        }
