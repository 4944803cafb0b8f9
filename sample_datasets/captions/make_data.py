"""Makes `data/` from the public photographs that scikit-image and scikit-learn bring along.

Run it as `python sample_datasets/captions/make_data.py [FOLDER]`; the same versions of Pillow and of
the two packages give the same bytes again.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from crops import CROPS
from PIL import Image

PHOTOS = {
    **{name: f"skimage/data/{name}.png" for name in ("astronaut", "chelsea", "coffee", "camera", "coins")},
    **{name: f"skimage/data/{name}.png" for name in ("moon", "grass", "gravel", "brick")},
    **{name: f"skimage/data/{name}.jpg" for name in ("rocket", "hubble_deep_field", "retina")},
    **{name: f"sklearn/datasets/images/{name}.jpg" for name in ("china", "flower")},
}
LONG_SIDES = (192, 160, 128, 176, 144)
MODES = {"camera_00": "L", "coins_02": "L", "coffee_03": "CMYK"}
ORIENTATIONS = {"chelsea_01": 6, "china_04": 8, "flower_03": 3}
ROTATE_BACK = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}
EXIF_ORIENTATION = 0x0112
SPECIAL_TOKENS = ["<pad>", "<unk>", "<bos>", "<eos>"]


def open_photo(name: str) -> Image.Image:
    """Open one photograph where its package is installed, without importing the package."""
    package, _, path = PHOTOS[name].partition("/")
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is needed for {name}: pip install scikit-image scikit-learn")
    return Image.open(Path(spec.origin).parent / path)


def save_crop(photo: Image.Image, box: tuple[float, ...], long_side: int, path: Path) -> None:
    """Cut a crop, scale it and save it in the mode and orientation that a camera might have used."""
    width, height = photo.size
    left, top, right, bottom = box[0] * width, box[1] * height, box[2] * width, box[3] * height
    crop = photo.crop((round(left), round(top), round(right), round(bottom)))
    crop = crop.convert(MODES.get(path.stem, "RGB"))
    crop.thumbnail((long_side, long_side), Image.Resampling.LANCZOS)
    exif = Image.Exif()
    if orientation := ORIENTATIONS.get(path.stem):
        crop = crop.transpose(ROTATE_BACK[orientation])
        exif[EXIF_ORIENTATION] = orientation
    crop.save(path, quality=80, exif=exif)


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def make_ill_rows(folder: Path, rows: list[dict[str, str]]) -> None:
    """Write the annotation files of the ill variants, each with a single row that is wrong."""
    uncaptioned = [dict(row) for row in rows]
    del uncaptioned[41]["caption"]
    write_rows(folder / "captions_one_missing.jsonl", uncaptioned)

    whole = (folder / rows[23]["image"]).read_bytes()
    (folder / "images" / "truncated_download.jpg").write_bytes(whole[: len(whole) // 2])
    truncated = [dict(row) for row in rows]
    truncated[23]["image"] = "images/truncated_download.jpg"
    write_rows(folder / "captions_one_truncated.jsonl", truncated)

    placeholder = Image.new("RGB", (160, 120), (204, 204, 204))
    placeholder.save(folder / "images" / "image_not_available.jpg", quality=80)
    blank = [dict(row) for row in rows]
    blank[57]["image"] = "images/image_not_available.jpg"
    write_rows(folder / "captions_one_blank.jsonl", blank)


def make_data(folder: Path) -> None:
    """Write the images, the captions and the vocabulary into a folder."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    rows = []
    for name, crops in CROPS.items():
        with open_photo(name) as photo:
            for number, (box, caption) in enumerate(crops):
                image = f"images/{name}_{number:02}.jpg"
                save_crop(photo, box, LONG_SIDES[len(rows) % len(LONG_SIDES)], folder / image)
                rows.append({"id": f"{name}_{number:02}", "image": image, "caption": caption})
    write_rows(folder / "captions.jsonl", rows)
    make_ill_rows(folder, rows)
    counts = Counter(word for row in rows for word in re.findall(r"[a-z]+|[^a-z\s]", row["caption"].lower()))
    words = sorted(counts, key=lambda word: (-counts[word], word))
    vocab = {token: number for number, token in enumerate(SPECIAL_TOKENS + words)}
    (folder / "vocab.json").write_text(json.dumps(vocab, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_data(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
