"""Batches in the forms that trainers emit, with the true role of each leaf; made here, from nothing."""

from __future__ import annotations

import random
from collections import UserDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

VOCAB = 30_000
PAD = 0
WORDS = "the a cat dog runs over green hills while old ships sail to far and quiet harbours at night".split()


@dataclass(frozen=True)
class Made:
    """A batch with the role of each path; several roles where the project itself is of two minds."""

    name: str
    batch: Any
    truth: dict[str, str]


class Draw:
    """Random parts of batches, all from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)

    def words(self, *shape: int) -> Tensor:
        """Token ids with a few common ones, as text has."""
        share = torch.rand(*shape, generator=self.torch)
        return (3 + (VOCAB - 3) * share**3).long()

    def real(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.torch)

    def ints(self, low: int, high: int, *shape: int) -> Tensor:
        return torch.randint(low, high, shape, generator=self.torch)

    def lengths(self, rows: int, longest: int) -> list[int]:
        made = [self.random.randint(longest // 3, longest - 1) for _ in range(rows)]
        made[self.random.randrange(rows)] = longest
        return made

    def text(self, least: int = 4) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, least + 8)))

    def padded(self, rows: int, longest: int, *, left: bool = False) -> tuple[Tensor, Tensor]:
        ids, mask = self.words(rows, longest), torch.ones(rows, longest, dtype=torch.long)
        for row, length in enumerate(self.lengths(rows, longest)):
            part = slice(0, longest - length) if left else slice(length, longest)
            ids[row, part], mask[row, part] = PAD, 0
        return ids, mask


def causal(draw: Draw) -> Made:
    ids, mask = draw.padded(4, 40)
    labels = ids.masked_fill(mask == 0, -100)
    batch = UserDict(input_ids=ids, attention_mask=mask, labels=labels)
    return Made(
        "causal", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"}
    )


def left_padded_prompts(draw: Draw) -> Made:
    ids, mask = draw.padded(4, 40, left=True)
    return Made(
        "left",
        {"input_ids": ids, "attention_mask": mask.bool()},
        {"input_ids": "token_ids", "attention_mask": "attention_mask"},
    )


def chat(draw: Draw) -> Made:
    ids, mask = draw.padded(4, 48)
    labels = ids.masked_fill(mask == 0, -100)
    labels[:, :12] = -100
    batch = {
        "input_ids": ids,
        "labels": labels,
        "attention_mask": mask,
        "prompt_lengths": torch.tensor([12] * 4),
    }
    truth = {
        "input_ids": "token_ids",
        "labels": "labels",
        "attention_mask": "attention_mask",
        "prompt_lengths": "prompt_length",
    }
    return Made("chat", batch, truth)


def masked_words(draw: Draw) -> Made:
    ids, mask = draw.padded(6, 48)
    chosen = (torch.rand(6, 48, generator=draw.torch) < 0.15) & (mask == 1)
    labels = ids.masked_fill(~chosen, -100)
    ids = torch.where(chosen & (torch.rand(6, 48, generator=draw.torch) < 0.8), torch.tensor(4), ids)
    batch = {
        "input_ids": ids,
        "token_type_ids": torch.zeros_like(ids),
        "attention_mask": mask,
        "labels": labels,
    }
    truth = {
        "input_ids": "token_ids",
        "token_type_ids": "meta",
        "attention_mask": "attention_mask",
        "labels": "labels",
    }
    return Made("mlm", batch, truth)


def seq2seq(draw: Draw) -> Made:
    ids, mask = draw.padded(4, 40)
    out, out_mask = draw.padded(4, 23)
    labels = out.masked_fill(out_mask == 0, -100)
    decoder = torch.cat([torch.full((4, 1), PAD), out[:, :-1]], dim=1)
    batch = {"input_ids": ids, "attention_mask": mask, "labels": labels, "decoder_input_ids": decoder}
    truth = {
        "input_ids": "token_ids",
        "attention_mask": "attention_mask",
        "labels": "labels",
        "decoder_input_ids": "token_ids",
    }
    return Made("seq2seq", batch, truth)


def bounds(lengths: list[int]) -> Tensor:
    return torch.tensor([0, *lengths]).cumsum(0).to(torch.int32)


def flattened(draw: Draw) -> Made:
    lengths = draw.lengths(4, 60)
    ids = draw.words(1, sum(lengths))
    labels = ids.clone()
    labels[0, bounds(lengths)[:-1].long()] = -100
    batch = {
        "input_ids": ids,
        "labels": labels,
        "position_ids": torch.cat([torch.arange(n) for n in lengths])[None],
        "cu_seq_lens_q": bounds(lengths),
        "cu_seq_lens_k": bounds(lengths),
        "max_length_q": max(lengths),
        "seq_idx": torch.cat([torch.full((n,), i) for i, n in enumerate(lengths)])[None].int(),
    }
    truth = {
        "input_ids": "token_ids", "labels": "labels", "position_ids": "position_ids", "cu_seq_lens_q": "document_lengths",
        "cu_seq_lens_k": "document_lengths", "max_length_q": "meta", "seq_idx": "segment_ids",
    }  # fmt: skip
    return Made("flattened", batch, truth)


def bounds_called_mask(draw: Draw) -> Made:
    lengths = draw.lengths(4, 60)
    ids = draw.words(1, sum(lengths))
    labels = ids.clone()
    labels[:, :9] = -100
    batch = {"input_ids": ids, "labels": labels, "attention_mask": bounds(lengths)}
    return Made(
        "bounds", batch, {"input_ids": "token_ids", "labels": "labels", "attention_mask": "document_lengths"}
    )


def preference(draw: Draw) -> Made:
    ids, mask = draw.padded(8, 40)
    completion = mask.clone()
    completion[:, :10] = 0
    batch = {"input_ids": ids, "attention_mask": mask, "completion_mask": completion}
    truth = {"input_ids": "token_ids", "attention_mask": "attention_mask", "completion_mask": "loss_mask"}
    return Made("preference", batch, truth)


def document_mask(draw: Draw) -> Made:
    ids = draw.words(4, 64)
    numbers = torch.zeros_like(ids)
    for row in range(4):
        cuts = sorted(draw.random.sample(range(8, 56), 2))
        for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, 60], strict=True), 1):
            numbers[row, start:end] = number
    ids[numbers == 0] = PAD
    labels = ids.masked_fill(numbers == 0, -100)
    batch = {"input_ids": ids, "attention_mask": numbers, "labels": labels}
    return Made(
        "documents", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"}
    )


def additive_mask(draw: Draw) -> Made:
    ids = draw.words(2, 32)
    square = torch.full((2, 1, 32, 32), torch.finfo(torch.float32).min).triu(1)
    labels = ids.clone()
    labels[:, :7] = -100
    batch = {"input_ids": ids, "attention_mask": square, "labels": labels}
    return Made(
        "additive", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"}
    )


def block_mask(draw: Draw) -> Made:
    ids = draw.words(2, 32)
    positions = torch.cat([torch.arange(20), torch.arange(12)]).repeat(2, 1)
    square = torch.ones(32, 32, dtype=torch.bool).tril().repeat(2, 1, 1)
    square[:, 20:, :20] = False
    labels = ids.roll(-1, 1)
    labels[:, -1] = -100
    batch = {"tokens": ids, "labels": labels, "input_pos": positions, "mask": square}
    truth = {"tokens": "token_ids", "labels": "labels", "input_pos": "position_ids", "mask": "attention_mask"}
    return Made("blocks", batch, truth)


def stream_without_rows(draw: Draw) -> Made:
    ids = draw.words(200)
    labels = ids.roll(-1)
    labels[-1] = -100
    positions = torch.cat([torch.arange(120), torch.arange(80)])
    return Made(
        "stream",
        ({"input": ids, "positions": positions}, labels),
        {"0.input": "token_ids", "0.positions": "position_ids", "1": "labels"},
    )


def megatron(draw: Draw) -> Made:
    ids = draw.words(2, 48)
    after = draw.words(2, 1)
    weights = torch.ones(2, 48)
    weights[:, 15:20] = 0
    batch = {
        "tokens": ids, "labels": torch.cat([ids[:, 1:], after], 1), "loss_mask": weights,
        "position_ids": torch.arange(48).repeat(2, 1), "attention_mask": torch.ones(2, 1, 48, 48, dtype=torch.bool).triu(1),
    }  # fmt: skip
    truth = {
        "tokens": "token_ids",
        "labels": "labels",
        "loss_mask": "loss_mask",
        "position_ids": "position_ids",
        "attention_mask": "attention_mask",
    }
    return Made("megatron", batch, truth)


def next_token_pair(draw: Draw) -> Made:
    ids = draw.words(4, 65)
    return Made("pair", (ids[:, :-1], ids[:, 1:]), {"0": "token_ids", "1": "labels"})


def wrapped(draw: Draw) -> Made:
    ids = draw.words(4, 64)
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}
    return Made(
        "wrapped", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"}
    )


def pairs_of_texts(draw: Draw) -> Made:
    anchor, anchor_mask = draw.padded(4, 20)
    positive, positive_mask = draw.padded(4, 28)
    batch = {
        "anchor_input_ids": anchor, "anchor_attention_mask": anchor_mask,
        "positive_input_ids": positive, "positive_attention_mask": positive_mask,
    }  # fmt: skip
    return Made(
        "sentences",
        batch,
        {path: "token_ids" if path.endswith("ids") else "attention_mask" for path in batch},
    )


def uncollated_texts(draw: Draw) -> Made:
    rows = [draw.words(draw.random.randint(12, 40)).tolist() for _ in range(6)]
    batch = [
        {
            "input_ids": row,
            "attention_mask": [1] * len(row),
            "text": draw.text(),
            "id": f"doc-{draw.random.random()}",
        }
        for row in rows
    ]
    return Made(
        "uncollated",
        batch,
        {"input_ids": "token_ids", "attention_mask": "attention_mask", "text": "text", "id": "sample_id"},
    )


def patches(draw: Draw) -> Made:
    grid = torch.tensor([[1, 4, 6], [1, 8, 4], [1, 6, 6]])
    count = int(grid.prod(1).sum())
    ids, mask = draw.padded(3, 60)
    for row, size in enumerate((grid.prod(1) // 4).tolist()):
        start = 60 - int(mask[row].sum()) if not mask[row, 0] else 2
        ids[row, start : start + size] = 29_999
    labels = ids.masked_fill((mask == 0) | (ids == 29_999), -100)
    batch = {
        "input_ids": ids,
        "attention_mask": mask,
        "labels": labels,
        "pixel_values": draw.real(count, 1176),
        "image_grid_thw": grid,
    }
    truth = {
        "input_ids": "token_ids",
        "attention_mask": "attention_mask",
        "labels": "labels",
        "pixel_values": "pixel_values",
        "image_grid_thw": "image_grid",
    }
    return Made("patches", batch, truth)


def mrope(draw: Draw) -> Made:
    made = patches(draw)
    positions = torch.arange(60).expand(3, 3, 60) + draw.ints(0, 3, 3, 3, 1)
    return Made(
        "mrope", {**made.batch, "position_ids": positions}, {**made.truth, "position_ids": "position_ids"}
    )


def listed_images(draw: Draw) -> Made:
    ids, mask = draw.padded(3, 40)
    ids[:, 5] = -200
    labels = ids.masked_fill((mask == 0) | (ids == -200), -100)
    images = [draw.real(n, 3, 32, 32) for n in (1, 5, 3)]
    sizes = [(640, 480), (333, 500), (1024, 768)]
    batch = {
        "input_ids": ids,
        "labels": labels,
        "attention_mask": mask.bool(),
        "images": images,
        "image_sizes": sizes,
    }
    truth = {
        "input_ids": "token_ids",
        "labels": "labels",
        "attention_mask": "attention_mask",
        "images": "pixel_values",
        "image_sizes": "image_sizes",
    }
    return Made("tiles", batch, truth)


def padded_tiles(draw: Draw) -> Made:
    ids, mask = draw.padded(3, 40)
    pixels, real = draw.real(3, 2, 3, 32, 32), torch.ones(3, 2, 32, 32, dtype=torch.long)
    pixels[1, 1], real[1, 1] = 0, 0
    batch = {"input_ids": ids, "attention_mask": mask, "pixel_values": pixels, "pixel_attention_mask": real}
    return Made(
        "idefics",
        batch,
        {
            "input_ids": "token_ids",
            "attention_mask": "attention_mask",
            "pixel_values": "pixel_values",
            "pixel_attention_mask": "pixel_mask",
        },
    )


def detection(draw: Draw) -> Made:
    images, targets = [], []
    for row in range(4):
        high, wide = draw.random.randint(40, 80), draw.random.randint(40, 80)
        count = draw.random.randint(1, 5)
        corner = torch.rand(count, 2, generator=draw.torch) * 20
        size = torch.rand(count, 2, generator=draw.torch) * 15 + 2
        images.append(draw.real(3, high, wide))
        boxes = torch.cat([corner, corner + size], dim=1)
        targets.append(
            {
                "boxes": boxes,
                "labels": draw.ints(1, 20, count),
                "image_id": 70_000 + draw.random.randrange(9999) * 4 + row,
            }
        )
    truth = {"0": "pixel_values", "1.boxes": "boxes", "1.labels": "class_label", "1.image_id": "sample_id"}
    return Made("detection", (tuple(images), tuple(targets)), truth)


def flat_boxes(draw: Draw) -> Made:
    rows = torch.tensor([0, 0, 1, 2, 2, 2, 3]).float()
    batch = {
        "img": draw.ints(0, 256, 4, 3, 48, 48).to(torch.uint8), "cls": draw.ints(0, 9, 7, 1).float(),
        "bboxes": torch.rand(7, 4, generator=draw.torch) * 0.5, "batch_idx": rows,
        "im_file": tuple(f"images/{draw.random.randrange(10**6):06}.jpg" for _ in range(4)),
    }  # fmt: skip
    truth = {
        "img": "pixel_values",
        "cls": "class_label",
        "bboxes": "boxes",
        "batch_idx": "box_row",
        "im_file": "sample_id",
    }
    return Made("flat boxes", batch, truth)


def detr(draw: Draw) -> Made:
    real = torch.zeros(2, 48, 64, dtype=torch.long)
    real[0, :48, :50], real[1, :40, :64] = 1, 1
    batch = {"pixel_values": draw.real(2, 3, 48, 64), "pixel_mask": real}
    return Made("detr", batch, {"pixel_values": "pixel_values", "pixel_mask": "pixel_mask"})


def segmentation(draw: Draw) -> Made:
    masks = draw.ints(0, 5, 4, 32, 40)
    masks[:, :, 36:] = 255
    return Made(
        "segmentation", [draw.real(4, 3, 32, 40), masks], {"0": "pixel_values", "1": "segmentation_mask"}
    )


def named_segmentation(draw: Draw) -> Made:
    masks = (draw.real(4, 1, 32, 32) > 0).float()
    return Made(
        "binary masks",
        {"image": draw.real(4, 3, 32, 32), "mask": masks},
        {"image": "pixel_values", "mask": "segmentation_mask"},
    )


def classification(draw: Draw) -> Made:
    return Made(
        "timm", [draw.real(8, 3, 32, 32), draw.ints(0, 10, 8)], {"0": "pixel_values", "1": "class_label"}
    )


def digits(draw: Draw) -> Made:
    batch = {"image": draw.real(8, 1, 28, 28), "label": draw.ints(0, 10, 8)}
    return Made("digits", batch, {"image": "pixel_values", "label": "class_label"})


def contrastive(draw: Draw) -> Made:
    ids = draw.words(6, 77)
    for row, length in enumerate(draw.lengths(6, 30)):
        ids[row, length:] = PAD
    batch = {"pixel_values": draw.real(6, 3, 32, 32), "input_ids": ids}
    return Made("clip", batch, {"pixel_values": "pixel_values", "input_ids": "token_ids"})


def captions(draw: Draw) -> Made:
    keys = [f"{draw.random.randrange(10**8):08}" for _ in range(8)]
    batch = {
        "__key__": keys,
        "__url__": ["shard-000.tar"] * 8,
        "jpg": draw.real(8, 3, 24, 24),
        "txt": [draw.text() for _ in range(8)],
    }
    return Made(
        "webdataset", batch, {"__key__": "sample_id", "__url__": "meta", "jpg": "pixel_values", "txt": "text"}
    )


@dataclass
class CaptionBatch:
    __key__: list[str]
    image: Tensor
    caption: list[str]


def energon(draw: Draw) -> Made:
    keys = [f"part/{draw.random.randrange(10**8)}" for _ in range(8)]
    batch = CaptionBatch(keys, draw.real(8, 3, 24, 24), [draw.text() for _ in range(8)])
    return Made("dataclass", batch, {"__key__": "sample_id", "image": "pixel_values", "caption": "text"})


def spectra(draw: Draw) -> Made:
    labels, label_mask = draw.padded(4, 24)
    mask = torch.ones(4, 600, dtype=torch.int32)
    for row, length in enumerate(draw.lengths(4, 600)):
        mask[row, length:] = 0
    batch = {
        "input_features": draw.real(4, 80, 600),
        "attention_mask": mask,
        "labels": labels.masked_fill(label_mask == 0, -100),
    }
    return Made(
        "whisper", batch, {"input_features": "audio", "attention_mask": "attention_mask", "labels": "labels"}
    )


def waves(draw: Draw) -> Made:
    lengths = [9000, 12_000, 7000, 10_500]
    audio = torch.zeros(4, 12_000)
    for row, length in enumerate(lengths):
        audio[row, :length] = draw.real(length) * 0.1
    batch = {"audio": audio, "audio_lengths": torch.tensor(lengths), "text": [draw.text() for _ in range(4)]}
    return Made("speech", batch, {"audio": "audio", "audio_lengths": "audio_lengths", "text": "text"})


def films(draw: Draw) -> Made:
    return Made(
        "video",
        {"video": draw.real(2, 8, 3, 24, 24), "label": torch.tensor([3, 3])},
        {"video": "video", "label": "class_label"},
    )


FORMS: tuple[Callable[[Draw], Made], ...] = (
    causal, left_padded_prompts, chat, masked_words, seq2seq, flattened, bounds_called_mask, preference, document_mask,
    additive_mask, block_mask, stream_without_rows, megatron, next_token_pair, wrapped, pairs_of_texts, uncollated_texts,
    patches, mrope, listed_images, padded_tiles, detection, flat_boxes, detr, segmentation, named_segmentation,
    classification, digits, contrastive, captions, energon, spectra, waves, films,
)  # fmt: skip


def made(form: Callable[[Draw], Made], count: int = 3) -> Iterator[Made]:
    """Yield the first batches of a loader of this form."""
    draw = Draw(sum(map(ord, form.__name__)))
    for _ in range(count):
        yield form(draw)
