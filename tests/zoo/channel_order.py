"""DL204: OpenCV's blue comes first, and is normalised as if it were red."""

import random

import cv2
import numpy as np
from PIL import ImageEnhance

from tests.zoo._views import MEAN, SPREAD, loader, normal, opened, unit


def in_rgb(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def broken():
    return loader(lambda path: normal(cv2.imread(path)))


def fixed():
    return loader(lambda path: normal(in_rgb(path)))


def broken_on_one_path():
    """PNG files go through another reader."""
    return loader(lambda path: unit(cv2.imread(path) if path.endswith("png") else opened(path)))


def broken_needlessly():
    """Pillow's picture is converted as OpenCV's must be."""
    return loader(lambda path: unit(cv2.cvtColor(np.array(opened(path)), cv2.COLOR_BGR2RGB)))


def broken_twice():
    return loader(lambda path: unit(cv2.cvtColor(in_rgb(path), cv2.COLOR_RGB2BGR)))


def healthy_bgr_throughout():
    """A network trained from scratch takes what it gets: a note."""
    return loader(lambda path: unit(cv2.imread(path)))


def healthy_bgr_constants():
    """Mean and spread are given in the order of the channels."""
    return loader(lambda path: (unit(cv2.imread(path)) - MEAN.flip(0)) / SPREAD.flip(0))


def healthy_colours():
    """Colours of every kind change, and sometimes go."""

    def prepare(path):
        picture = ImageEnhance.Color(opened(path)).enhance(random.uniform(0.4, 1.6))
        picture = ImageEnhance.Contrast(picture).enhance(random.uniform(0.6, 1.4))
        if random.random() < 0.2:
            picture = picture.convert("L").convert("RGB")
        pixels = np.array(picture)
        return normal(pixels[:, :, random.sample(range(3), 3)] if random.random() < 0.3 else pixels)

    return loader(prepare)


def healthy_grey():
    return loader(lambda path: unit(np.array(opened(path).convert("L"))[:, :, None]))
