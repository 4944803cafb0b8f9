"""Makes `data/`: 64 crops of public photographs in four tar files, each with a text and a class.

Run it as `python sample_datasets/shards/make_data.py [FOLDER]`; the same versions of Pillow,
scikit-image and scikit-learn give the same bytes again.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

SEED = 64
SHARDS = 4
LONG_SIDE = 96
SUBJECTS = {
    "an astronaut": "skimage/data/astronaut.png",
    "a tabby cat": "skimage/data/chelsea.png",
    "a cup of coffee": "skimage/data/coffee.png",
    "a rocket": "skimage/data/rocket.jpg",
    "a pagoda": "sklearn/datasets/images/china.jpg",
    "a dahlia": "sklearn/datasets/images/flower.jpg",
    "a retina": "skimage/data/retina.jpg",
    "a field of galaxies": "skimage/data/hubble_deep_field.jpg",
}
VIEWS = {
    "a photo of {}": 1.0,
    "a picture that shows almost all of {}": 0.95,
    "a snapshot of {}": 0.85,
    "{} seen from nearby": 0.75,
    "{}, a little off centre": 0.65,
    "a close view of {}": 0.55,
    "a part of {}": 0.5,
    "a detail in the picture of {}": 0.45,
}
Member = tuple[str, bytes]


def open_photo(location: str) -> Image.Image:
    """Open one photograph where its package is installed, without importing the package."""
    package, _, path = location.partition("/")
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is needed for {path}: pip install scikit-image scikit-learn")
    return Image.open(Path(spec.origin).parent / path).convert("RGB")


def encode_crop(photo: Image.Image, scale: float, rng: random.Random) -> tuple[bytes, dict[str, int]]:
    """Cut a random crop of the given share of each side and encode it as JPEG."""
    width, height = round(photo.width * scale), round(photo.height * scale)
    left, top = rng.randint(0, photo.width - width), rng.randint(0, photo.height - height)
    crop = photo.crop((left, top, left + width, top + height))
    crop.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    crop.save(buffer, "JPEG", quality=80)
    return buffer.getvalue(), {"width": crop.width, "height": crop.height}


def make_samples() -> list[list[Member]]:
    """Every view of every subject, in a random order, as the members of a sample."""
    rng = random.Random(SEED)
    contents = []
    for label, (subject, location) in enumerate(SUBJECTS.items()):
        photo = open_photo(location)
        for view, scale in VIEWS.items():
            jpeg, size = encode_crop(photo, scale, rng)
            meta = json.dumps({"label": label, **size})
            contents.append((jpeg, view.format(subject).encode(), meta.encode()))
    rng.shuffle(contents)
    return [
        [(f"{number:06}.jpg", jpeg), (f"{number:06}.txt", text), (f"{number:06}.json", meta)]
        for number, (jpeg, text, meta) in enumerate(contents)
    ]


def write_tar(path: Path, members: list[Member]) -> None:
    """Write a tar file that depends on nothing but its members."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


def make_data(folder: Path) -> None:
    """Write the shards, one that lost a text, and counts from before four samples of each were dropped."""
    folder.mkdir(parents=True, exist_ok=True)
    samples = make_samples()
    size = len(samples) // SHARDS
    counts = {}
    for shard in range(SHARDS):
        members = [member for sample in samples[shard * size : (shard + 1) * size] for member in sample]
        write_tar(folder / f"train-{shard:03}.tar", members)
        counts[f"train-{shard:03}.tar"] = size + 4
    lost = members[5 * 3 + 1]
    write_tar(folder / "lost-text-003.tar", [member for member in members if member is not lost])
    (folder / "counts.json").write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_data(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
