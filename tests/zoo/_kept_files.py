"""Archives, arrays and films in a folder that goes with the process, and datasets that read them."""

from __future__ import annotations

import atexit
import io
import shutil
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

COUNT = 48
SHAPE = (16, 16)


@cache
def folder() -> Path:
    """Return a folder with an HDF5 file, an archive and a film for each sample."""
    import h5py
    from PIL import Image

    root = Path(tempfile.mkdtemp(prefix="kept-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    random = np.random.default_rng(0)
    for index in range(COUNT):
        frames = random.integers(0, 255, (3, *SHAPE), dtype=np.uint8)
        with h5py.File(root / f"{index}.h5", "w") as file:
            file["frames"] = frames
        buffer = io.BytesIO()
        np.save(buffer, frames[0])
        with zipfile.ZipFile(root / f"{index}.zip", "w") as archive:
            archive.writestr("frame.npy", buffer.getvalue())
        pictures = [Image.fromarray(frame) for frame in frames]
        pictures[0].save(root / f"{index}.gif", save_all=True, append_images=pictures[1:])
    return root


class Kept(Dataset[dict[str, Any]]):
    """Opens a file for each reading, and keeps what it opened or not."""

    def __init__(self, keep: bool) -> None:
        self.root = folder()
        self.keep = keep
        self.opened: list[Any] = []

    def __len__(self) -> int:
        return COUNT

    def read(self, index: int) -> tuple[Any, Any]:
        """Return what was opened, and an array."""
        raise NotImplementedError

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < COUNT:
            raise IndexError(index)
        opened, frame = self.read(index)
        if self.keep:
            self.opened.append(opened)
        else:
            opened.close()
        return {"image": torch.from_numpy(frame).float()[None] / 255, "label": index % 4}


class Episodes(Kept):
    """One HDF5 file a sample."""

    def read(self, index: int) -> tuple[Any, Any]:
        """Return the file and its first frame."""
        import h5py

        file = h5py.File(self.root / f"{index}.h5", "r")
        return file, file["frames"][0]


class Archives(Kept):
    """One zip archive a sample."""

    def read(self, index: int) -> tuple[Any, Any]:
        """Return the archive and its only member."""
        archive = zipfile.ZipFile(self.root / f"{index}.zip")
        return archive, np.load(io.BytesIO(archive.read("frame.npy")))


class Films(Kept):
    """One film a sample; Pillow keeps the file of a film open, for the frames that were not read."""

    def read(self, index: int) -> tuple[Any, Any]:
        """Return the image and its first frame."""
        from PIL import Image

        image = Image.open(self.root / f"{index}.gif")
        return image, np.asarray(image.convert("L")).copy()
