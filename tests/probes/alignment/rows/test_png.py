"""PNG files by zlib alone hold the very pixels, as another reader of them sees."""

from __future__ import annotations

import io

import pytest
import torch
from PIL import Image

from dldoctor.probes.alignment.rows.png import palette_png, png


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (5, 1), (37, 23)])
def test_pixels_come_back(channels, size):
    """Grey, colour and colour with opacity, of one pixel and of many."""
    pixels = torch.randint(
        0, 256, (*size, channels), dtype=torch.uint8, generator=torch.Generator().manual_seed(3)
    )
    read = Image.open(io.BytesIO(png(pixels)))
    assert read.mode == {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    assert read.size == (size[1], size[0])
    assert read.tobytes() == pixels.numpy().tobytes()


def test_a_slope_is_nearly_nothing():
    """The rows are stored as differences from their neighbours."""
    slope = (torch.arange(64)[:, None] + torch.arange(64)).to(torch.uint8)[:, :, None].expand(64, 64, 3)
    assert len(png(slope)) < 500


def test_a_palette_keeps_its_colours_and_its_clear_ground():
    """Numbers become colours; the ground has no opacity."""
    read = Image.open(
        io.BytesIO(palette_png(torch.tensor([[0, 1], [1, 0]]), [(0, 0, 0, 0), (230, 75, 60, 105)]))
    )
    assert list(read.convert("RGBA").get_flattened_data()) == [
        (0, 0, 0, 0),
        (230, 75, 60, 105),
        (230, 75, 60, 105),
        (0, 0, 0, 0),
    ]
