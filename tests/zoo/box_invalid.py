"""DL219: a few boxes have their corners exchanged, or lie outside of the picture."""

import torch
from torch.utils.data import DataLoader

from tests.zoo._boxed import Boxed, listed


def exchanged(boxes, index):
    """A box drawn from its lower right corner."""
    if index == 11:
        boxes[0] = boxes[0][[2, 3, 0, 1]]
    return boxes


def outside(boxes, index):
    """A crop moved the boxes, and did not clip them."""
    return boxes + 40 * (index == 11)


def as_sizes(boxes, _index):
    return torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1)


def as_shares(boxes, _index):
    boxes = boxes / torch.tensor([64.0, 48.0, 64.0, 48.0])
    return torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)


def filled(boxes, _index):
    """A table of one size, filled with zeros."""
    return torch.cat([boxes, boxes.new_zeros(6 - len(boxes), 4)])


def loader(change):
    return DataLoader(Boxed(change), batch_size=4, collate_fn=listed)


def broken():
    return loader(exchanged)


def fixed():
    return loader(lambda boxes, _index: boxes)


def broken_outside():
    return loader(outside)


def healthy_width_and_height():
    return loader(as_sizes)


def healthy_shares():
    return loader(as_shares)


def healthy_filled():
    return loader(filled)


def as_thousandths(boxes, _index):
    """As models of documents take them, the end of the text at the far corner."""
    boxes = (boxes / torch.tensor([64.0, 48.0, 64.0, 48.0]) * 1000).clamp(0, 1000).long()
    return torch.cat([boxes, torch.full((1, 4), 1000)])


def healthy_thousandths():
    """They leave the picture as numbers, whatever its size."""
    return loader(as_thousandths)
