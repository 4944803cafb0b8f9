"""Other decoders are tried on the user's own pictures, whatever they came from."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from dldoctor.intent import TargetOptions
from dldoctor.probes.profile.decoders import other_decoders
from dldoctor.probes.profile.entry_points import Resized
from dldoctor.probes.profile.smaller_decode import smaller
from dldoctor.targets import Pipeline, from_object

np = pytest.importorskip("numpy")


def picture(kind: str, orientation: int | None = None, width: int = 320) -> bytes:
    """Return a file of a smooth picture of 3 to 2."""
    pixels = np.random.default_rng(0).integers(0, 255, (8, 12, 3), dtype=np.uint8)
    image = Image.fromarray(pixels).resize((width, width * 2 // 3))
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    buffer = io.BytesIO()
    image.save(buffer, kind, exif=exif)
    return buffer.getvalue()


class Pictures(Dataset[Any]):
    """Twelve times the same picture, decoded as a user does it."""

    def __init__(self, source: Any, decode: Callable[[Any], Any]) -> None:
        self.source, self.decode = source, decode

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return self.decode(self.source() if callable(self.source) else self.source)


def pipeline(source: Any, decode: Callable[[Any], Any]) -> Pipeline:
    return from_object(DataLoader(Pictures(source, decode), 4, collate_fn=list), TargetOptions("x"))


def tried(source: Any, decode: Callable[[Any], Any]) -> set[str]:
    return {one.detail for one in other_decoders(pipeline(source, decode))}


def with_pillow(source: Any) -> Any:
    return np.asarray(Image.open(source).convert("RGB"))


def with_opencv(source: Any) -> Any:
    import cv2

    return cv2.imread(source)


def with_simplejpeg(source: Any) -> Any:
    import simplejpeg

    return simplejpeg.decode_jpeg(source)


def test_each_library_that_is_installed_is_tried(tmp_path: Path) -> None:
    """From a path, from an open file, and from bytes in memory; in turns, so each has its interval."""
    pytest.importorskip("simplejpeg")
    pytest.importorskip("cv2")
    path = tmp_path / "a.jpg"
    path.write_bytes(picture("JPEG"))
    both = {"OpenCV, not Pillow", "simplejpeg, not Pillow"}
    assert tried(path, with_pillow) >= both
    assert tried(str(path), with_pillow) >= both
    assert tried(lambda: io.BytesIO(picture("JPEG")), with_pillow) >= both
    found = other_decoders(pipeline(path, with_pillow))
    assert [one for one in found if one.name != "decoder" or one.per != "picture" or one.pairs < 4] == []


def test_what_opencv_or_simplejpeg_decodes_is_compared_too(tmp_path: Path) -> None:
    """The decoder that is there now is the one that was called."""
    cv2, _ = pytest.importorskip("cv2"), pytest.importorskip("simplejpeg")
    path = tmp_path / "a.jpg"
    path.write_bytes(picture("JPEG"))
    data = path.read_bytes()
    coded = np.frombuffer(data, np.uint8)
    assert "simplejpeg, not OpenCV" in tried(str(path), with_opencv)
    assert "Pillow, not OpenCV" in tried(coded, lambda source: cv2.imdecode(source, cv2.IMREAD_COLOR))
    assert "OpenCV, not simplejpeg" in tried(data, with_simplejpeg)


def test_a_picture_that_lies_on_its_side_is_the_same_picture() -> None:
    """OpenCV would turn it; that is no other decoder of the same."""
    pytest.importorskip("cv2")
    assert "OpenCV, not Pillow" in tried(lambda: io.BytesIO(picture("JPEG", orientation=6)), with_pillow)


def test_other_formats_and_no_pictures_are_left_alone() -> None:
    """A PNG has no other decoder here; numbers have none at all."""
    assert tried(lambda: io.BytesIO(picture("PNG")), with_pillow) == set()
    assert tried(3, lambda source: source + 1) == set()


def test_nothing_of_ours_stays_in_the_libraries() -> None:
    """What was watched is as it was."""
    before = Image.open
    tried(lambda: io.BytesIO(picture("JPEG")), with_pillow)
    assert Image.open is before


def test_a_smaller_decode_is_tried_with_the_library_that_decodes(tmp_path: Path) -> None:
    """Draft mode of Pillow; a reduced size of OpenCV, as large as can be thrown away."""
    cv2 = pytest.importorskip("cv2")
    path = tmp_path / "a.jpg"
    path.write_bytes(picture("JPEG", width=1200))
    sizes = [Resized(1200 * 800, 240 * 160, 240, 160)]
    drafted = smaller(pipeline(path, lambda source: Image.open(source).resize((240, 160))), sizes)
    reduced = smaller(pipeline(str(path), lambda source: cv2.resize(cv2.imread(source), (240, 160))), sizes)
    assert drafted is not None
    assert reduced is not None
    assert (drafted.detail, reduced.detail) == ("240x160", "cv2.IMREAD_REDUCED_COLOR_4")
    assert smaller(pipeline(3, lambda source: source + 1), sizes) is None
