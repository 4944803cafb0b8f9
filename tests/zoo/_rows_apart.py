"""Samples with two parts that belong together, and the ways in which a collate takes them apart."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

LENGTHS = (9, 14, 7, 12, 10, 8, 13, 11)


def rng(index):
    return torch.Generator().manual_seed(1000 + index)


def image_of(index, side=12):
    return torch.rand(3, side, side, generator=rng(index))


def tokens_of(index):
    return torch.randint(3, 900, (LENGTHS[index % len(LENGTHS)],), generator=rng(index))


class Pairs(Dataset):
    """A part and its partner, as `kind` says."""

    def __init__(self, kind, count=48):
        self.kind, self.count = kind, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError(index)
        if self.kind == "image-text":
            return {"image": image_of(index), "ids": tokens_of(index)}
        if self.kind == "image-mask":
            mask = (torch.rand(12, 12, generator=rng(index + 7)) * 4).long()
            return {"image": image_of(index), "mask": mask}
        if self.kind == "image-boxes":
            corners = torch.rand(1 + index % 3, 4, generator=rng(index)).sort(dim=1).values * 11
            return {"image": image_of(index), "boxes": corners}
        if self.kind == "audio-text":
            return {
                "audio": torch.randn(400 + 20 * (index % 5), generator=rng(index)),
                "ids": tokens_of(index),
            }
        return {"x": torch.randn(6, generator=rng(index)), "y": torch.randn(3, generator=rng(index + 50))}


def together(values):
    """Stack what has one shape, pad sequences, keep a list of tables."""
    if len({tuple(v.shape) for v in values}) == 1 and values[0].ndim != 2:
        return torch.stack(values)
    if values[0].ndim == 1:
        return pad_sequence(values, batch_first=True)
    return values if values[0].shape[-1] == 4 else torch.stack(values)


def size_of(value):
    return (value.shape[0], float(value.float().sum()))


FAULTS = {
    "none": lambda values: values,
    "sort": lambda values: sorted(values, key=size_of),
    "filter": lambda values: [v for i, v in enumerate(values) if i != 2],
    "shift": lambda values: values[-1:] + values[:-1],
    "shuffle": lambda values: [values[i] for i in torch.randperm(len(values)).tolist()],
    "drop_last": lambda values: values[:-1],
    "swap": lambda values: [values[0], values[2], values[1], *values[3:]],
    "repeat_first": lambda values: [values[0]] * len(values),
}


class Apart:
    """A collate that treats one field by one of the `FAULTS`."""

    def __init__(self, field, fault):
        self.field, self.fault = field, FAULTS[fault]

    def __call__(self, samples):
        columns = {key: [sample[key] for sample in samples] for key in samples[0]}
        columns[self.field] = self.fault(columns[self.field])
        return {key: together(values) for key, values in columns.items()}
