"""What antialiases leaves little unexplained of a picture of noise; what does not leaves much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image, ImageEnhance, ImageFilter

from dldoctor.probes.probe_pictures.detail import Detail, detail_of
from dldoctor.probes.probe_pictures.drawings import drawn
from dldoctor.probes.probe_pictures.judging import SCALED

WIDE, TALL = 320, 240
Made = Callable[[Image.Image], Image.Image]


def seen(made: Made) -> Detail | None:
    planes = [made(Image.fromarray(drawn(name, TALL, WIDE).numpy().copy())) for name in SCALED]
    steps, across, down, noisy = (torch.from_numpy(np.array(one)[..., 0]).float() for one in planes)
    return detail_of(steps, across, down, noisy, (TALL, WIDE))


def small(how: Image.Resampling) -> Made:
    return lambda picture: picture.resize((80, 64), how)


@pytest.mark.parametrize("how", [Image.Resampling.BILINEAR, Image.Resampling.BOX, Image.Resampling.LANCZOS])
def test_filters_that_antialias(how: Image.Resampling) -> None:
    """Also after other contrast, a cut, a mirror and a quarter turn."""
    resized = small(how)
    for after in (
        lambda picture: picture,
        lambda picture: ImageEnhance.Contrast(picture).enhance(0.7),
        lambda picture: picture.crop((9, 5, 70, 60)).transpose(Image.Transpose.FLIP_LEFT_RIGHT),
        lambda picture: picture.transpose(Image.Transpose.ROTATE_90),
    ):
        found = seen(lambda picture, after=after: after(resized(picture)))  # type: ignore[misc]
        assert found is not None
        assert round(found.factor, 1) == 3.9
        assert found.levels < 8


def test_sharpening_is_no_aliasing() -> None:
    """As long as the scale can be told: a little of it is explained, much of it is not judged."""
    for percent in (30, 60, 200):
        sharp = ImageFilter.UnsharpMask(2, percent, 0)
        found = seen(lambda picture, sharp=sharp: small(Image.Resampling.BICUBIC)(picture).filter(sharp))  # type: ignore[misc]
        assert found is None or found.levels < 8


def test_the_nearest_pixel_is_told_apart() -> None:
    """By some thirty levels."""
    found = seen(small(Image.Resampling.NEAREST))
    assert found is not None
    assert 25 < found.levels < 50


def test_a_cut_is_no_scaling() -> None:
    """Nothing is judged at a factor of 1."""
    found = seen(lambda picture: picture.crop((40, 30, 140, 130)))
    assert found is not None
    assert (round(found.factor, 1), found.levels) == (1.0, 0.0)


def test_padding_is_left_out_and_a_turn_is_not_judged() -> None:
    """A letterbox has a picture inside; a turned one has no straight slopes."""

    def boxed(picture: Image.Image) -> Image.Image:
        canvas = Image.new("RGB", (96, 96), (114, 114, 114))
        canvas.paste(picture.resize((96, 72), Image.Resampling.NEAREST), (0, 12))
        return canvas

    found = seen(boxed)
    assert found is not None
    assert 25 < found.levels < 50
    assert seen(lambda picture: picture.rotate(20).resize((80, 64))) is None
