"""Images with captions for a CLIP-like model: 80 JPEG files, a word-level tokenizer, a collate that pads.

`make_loader` is healthy. Each of the other makers has one fault that real pipelines have had.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

DATA = Path(__file__).resolve().parent / "data"
IMAGE_SIZE = 112
MAX_LENGTH = 32

VARIANTS = {
    "make_loader_with_missing_caption": "structure-varies",
    "make_loader_with_swallowed_errors": "sample-substituted",
    "make_loader_without_rgb_conversion": "channel-mix",
    "make_loader_with_blank_image": "constant-sample",
    "make_loader_with_division_by_zero": "non-finite",
    "make_loader_with_captions_of_others": "pair-order",
}

Sample = dict[str, Any]


class WordTokenizer:
    """Turns a caption into word ids between <bos> and <eos>."""

    def __init__(self, vocab_file: Path) -> None:
        self.vocab: dict[str, int] = json.loads(vocab_file.read_text(encoding="utf-8"))
        self.pad_id = self.vocab["<pad>"]

    def encode(self, text: str) -> list[int]:
        words = re.findall(r"[a-z]+|[^a-z\s]", text.lower())[: MAX_LENGTH - 2]
        ids = [self.vocab.get(word, self.vocab["<unk>"]) for word in words]
        return [self.vocab["<bos>"], *ids, self.vocab["<eos>"]]


class CaptionDataset(Dataset[Sample]):
    """Reads an image and its caption, with a random crop and flip for training."""

    def __init__(self, annotations: str = "captions.jsonl") -> None:
        lines = (DATA / annotations).read_text(encoding="utf-8").splitlines()
        self.rows: list[dict[str, str]] = [json.loads(line) for line in lines]
        self.tokenizer = WordTokenizer(DATA / "vocab.json")

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Sample:
        row = self.rows[index]
        sample: Sample = {"image_id": row["id"], "pixel_values": self.load_pixels(row["image"])}
        if "caption" in row:
            sample["input_ids"] = torch.tensor(self.tokenizer.encode(row["caption"]))
        return sample

    def load_pixels(self, path: str) -> torch.Tensor:
        with Image.open(DATA / path) as file:
            image = self.convert(ImageOps.exif_transpose(file))
        pixels = torch.from_numpy(np.array(augment(image)))
        if pixels.ndim == 2:
            pixels = pixels.unsqueeze(-1)
        return self.normalise(pixels.permute(2, 0, 1).float() / 255)

    def convert(self, image: Image.Image) -> Image.Image:
        return image.convert("RGB")

    def normalise(self, pixels: torch.Tensor) -> torch.Tensor:
        return (pixels - 0.5) / 0.5


def augment(image: Image.Image) -> Image.Image:
    """Resize a random crop of at least 80% of each side to the model's size, and flip half of them."""
    scale, x, y, flip = torch.rand(4).tolist()
    width, height = (round(side * (0.8 + 0.2 * scale)) for side in image.size)
    left, top = round(x * (image.width - width)), round(y * (image.height - height))
    box = (left, top, left + width, top + height)
    image = image.resize((IMAGE_SIZE, IMAGE_SIZE), Image.Resampling.BICUBIC, box=box)
    return ImageOps.mirror(image) if flip < 0.5 else image


class Collate:
    """Stacks the images, and pads the captions on the right to the longest of the batch."""

    def __init__(self, pad_id: int) -> None:
        self.pad_id = pad_id

    def __call__(self, samples: list[Sample]) -> dict[str, Any]:
        ids = [sample["input_ids"] for sample in samples]
        return {
            "image_id": [sample["image_id"] for sample in samples],
            "pixel_values": torch.stack([sample["pixel_values"] for sample in samples]),
            "input_ids": pad_sequence(ids, batch_first=True, padding_value=self.pad_id),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in ids], batch_first=True),
        }


def make_loader(dataset: CaptionDataset | None = None) -> DataLoader[Sample]:
    """The healthy training loader."""
    dataset = dataset or CaptionDataset()
    collate = Collate(dataset.tokenizer.pad_id)
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=2, collate_fn=collate, drop_last=True)


def make_loader_with_missing_caption() -> DataLoader[Sample]:
    """One row of the annotations has no caption."""
    return make_loader(CaptionDataset("captions_one_missing.jsonl"))


class ForgivingDataset(CaptionDataset):
    """Goes on with the next sample where one cannot be read."""

    def __getitem__(self, index: int) -> Sample:
        try:
            return super().__getitem__(index)
        except OSError:
            return self[(index + 1) % len(self)]


def make_loader_with_swallowed_errors() -> DataLoader[Sample]:
    """A half-downloaded image is silently replaced by its neighbour."""
    return make_loader(ForgivingDataset("captions_one_truncated.jsonl"))


class AsStoredDataset(CaptionDataset):
    """Keeps each image in the mode in which it was saved."""

    def convert(self, image: Image.Image) -> Image.Image:
        return image


def make_loader_without_rgb_conversion() -> DataLoader[Sample]:
    """Grey and CMYK images reach the batch with 1 and 4 channels."""
    return make_loader(AsStoredDataset())


def make_loader_with_blank_image() -> DataLoader[Sample]:
    """A website's "image not available" picture was scraped along with a caption."""
    return make_loader(CaptionDataset("captions_one_blank.jsonl"))


class StretchingDataset(CaptionDataset):
    """Stretches the contrast of each image between its own darkest and brightest value."""

    def normalise(self, pixels: torch.Tensor) -> torch.Tensor:
        return 2 * (pixels - pixels.min()) / (pixels.max() - pixels.min()) - 1


def make_loader_with_division_by_zero() -> DataLoader[Sample]:
    """Stretching the contrast of a blank image divides zero by zero."""
    return make_loader(StretchingDataset("captions_one_blank.jsonl"))


class FolderDataset(CaptionDataset):
    """Takes the images from a listing of the folder, and the captions in the order of their file."""

    def __init__(self) -> None:
        super().__init__()
        listing = sorted((DATA / "images").glob("*_[0-9][0-9].jpg"))
        self.rows = [
            {**row, "image": str(path.relative_to(DATA))}
            for row, path in zip(self.rows, listing, strict=True)
        ]


def make_loader_with_captions_of_others() -> DataLoader[Sample]:
    """The listing of the folder is in another order than the captions."""
    return make_loader(FolderDataset())
