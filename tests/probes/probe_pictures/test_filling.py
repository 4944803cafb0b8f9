"""What decoders return is exchanged in place; masks and mapped files keep their values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from dldoctor.probes.probe_pictures.drawings import drawn
from dldoctor.probes.probe_pictures.filling import Size, fill_array, fill_pillow


def photo(mode: str = "RGB", size: tuple[int, int] = (64, 48)) -> Image.Image:
    pixels = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "CMYK", "YCbCr"])
def test_a_pillow_image_keeps_size_and_mode(mode: str) -> None:
    """And says once that it was exchanged."""
    sizes: list[Size] = []
    filled = fill_pillow(photo(mode), "red", sizes.append)
    red = np.asarray(filled.convert("RGB"))
    assert (filled.mode, filled.size, sizes) == (mode, (64, 48), [(48, 64)])
    assert (red[..., 0] >= red[..., 2]).all()


def test_a_draft_is_honoured(tmp_path: Path) -> None:
    """The pixels come when they are asked for, in the size of then."""
    photo(size=(640, 480)).save(tmp_path / "one.jpg")
    sizes: list[Size] = []
    opened = fill_pillow(Image.open(tmp_path / "one.jpg"), "noise", sizes.append)
    opened.draft("RGB", (160, 120))
    assert opened.resize((80, 60)).size == (80, 60)
    assert sizes == [(120, 160)]


def test_arrays_in_the_order_of_their_decoder() -> None:
    """Of OpenCV's blue comes first, of torchvision's channels do."""
    pixels = np.asarray(photo()).copy()
    assert fill_array(pixels, "bgr", "red") == (48, 64)
    assert (pixels[..., 2] == drawn("red", 48, 64)[..., 0].numpy()).all()
    planes = torch.from_numpy(np.asarray(photo()).copy()).permute(2, 0, 1).contiguous()
    assert fill_array(planes, "rgb", "red") == (48, 64)
    assert torch.equal(planes.permute(1, 2, 0), drawn("red", 48, 64))


def test_sixteen_bits_keep_their_range() -> None:
    """A drawing reaches from the least to the greatest value of the picture."""
    pixels = np.random.default_rng(2).integers(100, 4000, (64, 64)).astype(np.uint16)
    low, high = pixels.min(), pixels.max()
    assert fill_array(pixels, None, "steps") == (64, 64)
    assert low <= pixels.min() < pixels.max() <= high


def test_masks_and_mapped_files_are_left_alone(tmp_path: Path) -> None:
    """Few values are classes; what maps a file must not be written to."""
    classes = np.random.default_rng(3).integers(0, 21, (64, 64), dtype=np.uint8)
    before = classes.copy()
    assert fill_array(classes, None, "noise") is None
    assert (classes == before).all()
    mapped = np.memmap(tmp_path / "pixels", dtype=np.uint8, mode="w+", shape=(64, 64, 3))
    mapped[:] = np.asarray(photo("RGB", (64, 64)))
    assert fill_array(mapped, "rgb", "noise") is None
    mask = fill_pillow(Image.fromarray(before), "noise", lambda _size: None)
    assert (np.asarray(mask) == before).all()
