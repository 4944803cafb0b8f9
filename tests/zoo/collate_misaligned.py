"""DL404: the collate sorts, drops, moves or repeats one field of the samples and not the other."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from tests.zoo._rows_apart import Apart, Pairs, image_of


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


class Boxes(Pairs):
    """Images with boxes, of which some have none."""

    def __init__(self):
        super().__init__("image-boxes")

    def __getitem__(self, index):
        sample = super().__getitem__(index)
        boxes = sample["boxes"] if index % 4 else sample["boxes"][:0]
        return {"image": sample["image"], "target": {"boxes": boxes, "name": f"photo-{index:05d}"}}


def without_empty(samples):
    """Targets without a box are left out; their images stay."""
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "target": [one["target"] for one in samples if len(one["target"]["boxes"])],
    }


def broken_targets_without_boxes_dropped():
    return DataLoader(Boxes(), batch_size=6, collate_fn=without_empty)


def counted(samples):
    counts = torch.tensor([len(one["target"]["boxes"]) for one in samples])
    return {**without_empty(samples), "boxes_in_image": counts}


def healthy_targets_left_out_that_counts_tell():
    return DataLoader(Boxes(), batch_size=6, collate_fn=counted)


class Table(Pairs):
    """Reads a batch at once; images in rising order, as files want it."""

    def __init__(self, in_order):
        super().__init__("plain")
        self.in_order = in_order

    def __getitem__(self, index):
        return self.__getitems__([index])[0]

    def __getitems__(self, indices):
        read = indices if self.in_order else sorted(indices)
        rows = [super(Table, self).__getitem__(index) for index in indices]
        images = [image_of(index) for index in read]
        return [{"image": image, "y": row["y"]} for image, row in zip(images, rows, strict=True)]


def broken_batch_read_in_rising_order():
    return DataLoader(Table(in_order=False), batch_size=6, shuffle=True)


def healthy_batch_read_at_once():
    return DataLoader(Table(in_order=True), batch_size=6, shuffle=True)


def with_sizes(samples):
    """One or two images a row, all of one size: the table of sizes can be cut in many ways."""
    several = [1 + int(one["ids"][0]) % 2 for one in samples]
    return {**Apart("ids", "none")(samples), "sizes": torch.tensor([[1, 12, 12]] * sum(several))}


def healthy_sizes_of_several_images():
    return loader("image-text", with_sizes)


class Preferred(torch.utils.data.Dataset):
    """Two answers to each question, of which one is preferred."""

    def __len__(self):
        return 48

    def __getitem__(self, index):
        if not 0 <= index < 48:
            raise IndexError(index)
        draw = torch.Generator().manual_seed(index)
        lengths = torch.randint(16, 20, (2,), generator=draw).tolist()
        return [torch.randint(3, 500, (length,), generator=draw) for length in lengths]


def preferred_first(samples):
    """All preferred answers, then all others, with flags that are made from the ids."""
    ids = pad_sequence([pair[side] for side in (0, 1) for pair in samples], batch_first=True)
    return {"input_ids": ids, "attention_mask": (ids > 0).long()}


def healthy_flags_of_two_views():
    return DataLoader(Preferred(), batch_size=12, collate_fn=preferred_first)


class Two(Dataset):
    """Pairs of texts with a score, each text of another length."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        return (
            [9] * 3 + [index + 20] * (1 + index % 5),
            [8] * 2 + [index + 60] * (1 + index * 7 % 11),
            index / 24,
        )


def of_texts(texts):
    ids = pad_sequence([torch.tensor(one) for one in texts], batch_first=True)
    return {"input_ids": ids, "attention_mask": (ids > 0).long()}


def groups_side_by_side(pairs):
    """As sentence pairs come: a list of groups, each with all rows, and the scores."""
    first, second, scores = zip(*pairs, strict=True)
    return [of_texts(first), of_texts(second)], torch.tensor(scores)


def one_group_sorted(pairs):
    first, second, scores = zip(*pairs, strict=True)
    return [of_texts(first), of_texts(sorted(second, key=len))], torch.tensor(scores)


def broken_one_of_two_groups_sorted():
    return DataLoader(Two(), batch_size=8, collate_fn=one_group_sorted)


def healthy_two_groups():
    return DataLoader(Two(), batch_size=8, collate_fn=groups_side_by_side)
