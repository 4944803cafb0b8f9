"""DL207: brightness is added to bytes, and passes 255."""

import random

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from tests.zoo._views import loader, normal, opened, unit


def brighter(path, by):
    return np.array(opened(path)) + np.uint8(by)


def broken():
    return loader(lambda path: unit(brighter(path, random.randint(0, 80))))


def fixed():
    def prepare(path):
        pixels = np.array(opened(path)).astype(np.int16) + random.randint(0, 80)
        return unit(np.clip(pixels, 0, 255).astype(np.uint8))

    return loader(prepare)


def broken_before_the_resize():
    """A factor that is cast back; the hard edges are smoothed afterwards."""

    def prepare(path):
        pixels = (np.array(opened(path)) * random.uniform(1.0, 1.5)).astype(np.uint8)
        return normal(Image.fromarray(pixels).resize((80, 60)))

    return loader(prepare)


def broken_below_zero():
    return loader(lambda path: unit(np.array(opened(path)) - np.uint8(60)))


def healthy_folds():
    """Solarised, posterised, equalised, inverted, and made black and white."""

    def prepare(path):
        picture = opened(path)
        kind = random.choice(("solarize", "late", "posterize", "equalize", "invert", "two", "auto"))
        made = {
            "solarize": lambda: ImageOps.solarize(picture, 128),
            "late": lambda: ImageOps.solarize(picture, 240),
            "posterize": lambda: ImageOps.posterize(picture, random.randint(1, 4)),
            "equalize": lambda: ImageOps.equalize(picture),
            "invert": lambda: ImageOps.invert(picture),
            "two": lambda: picture.point(lambda level: 255 * (level > 130)),
            "auto": lambda: ImageOps.autocontrast(picture),
        }
        return normal(made[kind]())

    return loader(prepare)


def healthy_parts():
    """Erased to black, pasted from elsewhere, padded, rolled over, and put together from four."""

    def prepare(path):
        pixels = np.array(ImageEnhance.Contrast(opened(path)).enhance(random.uniform(0.8, 1.6)))
        top, left = random.randint(0, 70), random.randint(0, 110)
        kind = random.choice(("black", "noise", "paste", "pad", "roll", "four"))
        box = pixels[top : top + 40, left : left + 40]
        if kind == "black":
            box[:] = 0
        elif kind == "noise":
            box[:] = np.random.randint(0, 256, box.shape, dtype=np.uint8)
        elif kind == "paste":
            box[:] = pixels[: box.shape[0], : box.shape[1]].copy()
        elif kind == "pad":
            pixels = np.pad(pixels[30:-30], ((30, 30), (0, 0), (0, 0)))
        elif kind == "roll":
            pixels = np.roll(pixels, (top, left), (0, 1))
        else:
            small = pixels[::2, ::2]
            pixels = np.block([[[small], [small[::-1]]], [[small[:, ::-1]], [small]]])
        return unit(pixels)

    return loader(prepare)
