"""DL404: the collate sorts, drops, moves or repeats one field of the samples and not the other."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from tests.zoo._rows_apart import Apart, Pairs


def loader(kind, collate, workers=0):
    return DataLoader(Pairs(kind), batch_size=6, num_workers=workers, collate_fn=collate)


def broken():
    """Captions are sorted by length for packing; images stay."""
    return loader("image-text", Apart("ids", "sort"), workers=2)


def fixed():
    return loader("image-text", Apart("ids", "none"), workers=2)


def broken_masks_swapped():
    return loader("image-mask", Apart("mask", "swap"))


def broken_boxes_shifted():
    return loader("image-boxes", Apart("boxes", "shift"))


def broken_first_sound_repeated():
    return loader("audio-text", Apart("ids", "repeat_first"))


def broken_last_one_dropped():
    return loader("plain", Apart("y", "drop_last"))


def in_order(samples):
    """Sorts whole samples, the longest text first."""
    samples = sorted(samples, key=lambda one: -len(one["ids"]))
    return Apart("ids", "none")(samples)


def healthy_sorted_alike():
    return loader("image-text", in_order)


def mixed(samples):
    image = torch.stack([one["image"] for one in samples])
    ids = pad_sequence([one["ids"] for one in samples], batch_first=True)
    return {"image": 0.6 * image + 0.4 * image.flip(0), "ids": ids, "other_ids": ids.flip(0), "share": 0.6}


def healthy_mixed_on_purpose():
    return loader("image-text", mixed)


def with_negatives(samples):
    batch = Apart("ids", "none")(samples)
    return {**batch, "negative_ids": batch["ids"].roll(1, 0)}


def healthy_negatives():
    return loader("image-text", with_negatives)
