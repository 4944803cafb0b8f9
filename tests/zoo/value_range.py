"""DL203: pictures on two scales, scaled twice, or normalised without being scaled."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Bytes of 3 by 16 by 16, which `prepare` turns into real numbers."""

    def __init__(self, prepare):
        self.prepare = prepare

    def __len__(self):
        return 48

    def __getitem__(self, index):
        if not 0 <= index < 48:
            raise IndexError(index)
        pixels = np.random.default_rng(index).integers(0, 256, (3, 16, 16), dtype=np.uint8)
        return self.prepare(torch.from_numpy(pixels), index), index % 5


def to_float(pixels):
    """Divide bytes by 255 and leave real numbers alone, as the field's functions do."""
    return pixels / 255 if pixels.dtype == torch.uint8 else pixels


def broken():
    """A quarter of the files went through another reader, which gives float."""
    return loader(lambda x, i: to_float(x.float() if i % 4 == 1 else x))


def broken_twice():
    return loader(lambda x, i: to_float(x) / 255)


def broken_twice_and_normalised():
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return loader(lambda x, i: (to_float(x) / 255 - mean[:, None, None]) / std[:, None, None])


def imagenet(pixels):
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return (pixels - mean[:, None, None]) / std[:, None, None]


def broken_normalised_twice():
    return loader(lambda x, i: imagenet(imagenet(to_float(x))))


def broken_normalised_in_part():
    """Two sources, of which one normalises and one does not."""
    return loader(lambda x, i: to_float(x) * 2 - 1 if i % 2 else to_float(x))


def broken_unscaled():
    return loader(lambda x, i: (x.float() - 0.45) / 0.22)


def fixed():
    return loader(lambda x, i: to_float(x))


def fixed_normalised():
    return loader(lambda x, i: (to_float(x) - 0.45) / 0.22)


def healthy_bytes():
    """For a model that scales by itself; some pictures are nearly black."""
    return loader(lambda x, i: (x // 128 if i % 9 == 4 else x).float())


def healthy_light_and_normalised():
    """Pictures on white, of which some have nothing darker than a light grey."""
    return loader(lambda x, i: 1 - 2 * to_float(x) * (0.02 + 0.98 * (i % 12) / 11))


def healthy_erased():
    """Part of every third picture is noise, as random erasing leaves it."""

    def erased(x, i):
        pixels = to_float(x)
        if i % 3 == 0:
            pixels[:, 4:12, 4:12] = torch.randn(3, 8, 8)
        return pixels

    return loader(erased)


def healthy_dark():
    """Pictures taken at night beside others."""
    return loader(lambda x, i: to_float(x) * (0.02 if i % 3 == 0 else 1.0))


def healthy_normalised_and_dark():
    """Every third picture is nearly black."""
    return loader(lambda x, i: (to_float(x) * (0.004 if i % 3 == 0 else 1.0) - 0.5) / 0.5)


def healthy_augmented():
    """Brightness that clips, and noise that leaves the range a little."""
    return loader(lambda x, i: to_float(x) * 1.3 + (0.1 * torch.randn(3, 16, 16) if i % 2 else 0.0))


def loader(prepare):
    return DataLoader(Pictures(prepare), batch_size=8)
