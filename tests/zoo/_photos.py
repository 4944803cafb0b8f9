"""A folder of small pictures with masks beside them, made once a process."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import torch
from PIL import Image

COUNT = 24
WIDE, TALL = 60, 40
ORIENTATION = 0x0112


def coarse(index, wide=WIDE, tall=TALL):
    """A picture of large patches of colour, which a JPEG keeps."""
    made = torch.randint(0, 256, (4, 6, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(index))
    return Image.fromarray(made.numpy()).resize((wide, tall))


@cache
def folder():
    """Return the folder: ``img_003.jpg``, ``turned_003.jpg`` (odd ones carry an orientation), ``mask_003.png``."""
    root = Path(tempfile.mkdtemp(prefix="zoo-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for part in ("images", "turned", "masks", "notes"):
        (root / part).mkdir()
    for index in range(COUNT):
        picture = coarse(index)
        picture.save(root / "images" / f"img_{index:03d}.jpg", quality=95)
        exif = picture.getexif()
        exif[ORIENTATION] = 6 if index % 2 else 1
        picture.save(root / "turned" / f"img_{index:03d}.jpg", quality=95, exif=exif)
        values = torch.randint(0, 4, (TALL, WIDE), generator=torch.Generator().manual_seed(index + 99))
        Image.fromarray(values.byte().numpy()).save(root / "masks" / f"mask_{index:03d}.png")
        (root / "notes" / f"{(index * 7) % COUNT:02d}-of-{index * 31}.txt").write_text(f"note {index}")
    return root


def pixels(picture):
    """Return a picture as ``[3, H, W]`` from 0 to 1."""
    import numpy as np

    return torch.from_numpy(np.array(picture.convert("RGB"))).permute(2, 0, 1).float() / 255


def levels(picture):
    """Return a mask as ``[H, W]`` of whole numbers."""
    import numpy as np

    return torch.from_numpy(np.array(picture)).long()
