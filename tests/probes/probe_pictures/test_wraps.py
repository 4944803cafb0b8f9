"""Values that go on at the other end of 8 bits, and edges of other kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps

from dldoctor.probes.probe_pictures.drawings import drawn
from dldoctor.probes.probe_pictures.wraps import Wrap, wrap_of

HILLS = drawn("hills", 120, 160).numpy().copy()


def seen(pixels: Any) -> list[Wrap | None]:
    planes = torch.from_numpy(np.array(pixels)).permute(2, 0, 1).float()
    return [wrap_of(planes, whole=True), wrap_of((planes / 255 - 0.4) / 0.2, whole=False)]


@pytest.mark.parametrize("by", [20, 40, 100, 200])
def test_sums_that_wrap(by: int) -> None:
    """As bytes and after normalising; the values beside a jump are some 255 apart."""
    for found in seen(HILLS + np.uint8(by)):
        assert found is not None
        assert abs(found.before - found.after) > 240


def test_a_resize_after_it_does_not_hide_it() -> None:
    """Blends lie between the sides of the jump."""
    pixels = Image.fromarray((HILLS * 1.3).astype(np.uint8)).resize((80, 60))
    assert None not in seen(pixels)


def test_folds_and_steps_are_no_wraps() -> None:
    """Solarised from any level on, posterised, cut off, inverted, of two levels."""
    picture = Image.fromarray(HILLS)
    made = [ImageOps.solarize(picture, level) for level in range(60, 250, 10)]
    made += [ImageOps.posterize(picture, bits) for bits in range(1, 8)]
    made += [ImageOps.invert(picture), picture.point(lambda level: 255 * (level > 130))]
    made += [Image.fromarray(np.clip(HILLS.astype(int) + 60, 0, 255).astype(np.uint8))]
    assert {found for one in made for found in seen(one)} == {None}


def test_pasted_and_erased_parts_are_no_wraps() -> None:
    """A black box in the brightest part, four tiles, and a roll."""
    erased = HILLS.copy()
    erased[30:80, 40:100] = 0
    quarter = HILLS[::2, ::2]
    tiled = np.concatenate([np.concatenate([quarter, quarter])] * 2, 1)
    assert {found for one in (erased, tiled, np.roll(HILLS, (50, 60), (0, 1))) for found in seen(one)} == {
        None
    }
