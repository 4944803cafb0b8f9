"""Writes PNG files with nothing but zlib: the user's environment need not have Pillow."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, COLOUR_ALPHA = 0, 2, 3, 6
COLOURS = {1: GREY, 3: COLOUR, 4: COLOUR_ALPHA}
PAETH = 4


def png(pixels: Any) -> bytes:
    """Return bytes ``[H, W, C]`` with 1, 3 or 4 channels as a PNG file."""
    height, width, channels = (int(n) for n in pixels.shape)
    return _file(width, height, COLOURS[channels], _filtered(pixels))


def palette_png(indices: Any, colours: Sequence[tuple[int, int, int, int]]) -> bytes:
    """Return numbers ``[H, W]`` of colours (red, green, blue, opacity) as a PNG file."""
    height, width = (int(n) for n in indices.shape)
    rows = indices.tolist()
    table = b"".join(bytes(colour[:3]) for colour in colours)
    extra = _chunk(b"PLTE", table) + _chunk(b"tRNS", bytes(colour[3] for colour in colours))
    return _file(width, height, PALETTE, b"".join(b"\x00" + bytes(row) for row in rows), extra)


def _file(width: int, height: int, colour: int, rows: bytes, extra: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", head),
            extra,
            _chunk(b"IDAT", zlib.compress(rows, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _filtered(pixels: Any) -> bytes:
    """Return the rows, each less what Paeth's predictor expects: photographs become a third smaller."""
    import torch

    height, width, channels = pixels.shape
    values = pixels.to(torch.int16)
    padded = torch.zeros(height + 1, width + 1, channels, dtype=torch.int16)
    padded[1:, 1:] = values
    left, above, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    expected = left + above - corner
    far = [(expected - one).abs() for one in (left, above, corner)]
    nearest = torch.where(
        (far[0] <= far[1]) & (far[0] <= far[2]), left, torch.where(far[1] <= far[2], above, corner)
    )
    rest = (values - nearest).remainder(256).to(torch.uint8).reshape(height, -1)
    kind = torch.full((height, 1), PAETH, dtype=torch.uint8)
    return as_bytes(torch.cat([kind, rest], dim=1))


def as_bytes(tensor: Any) -> bytes:
    """Return the memory of a tensor of bytes, also where torch has no numpy."""
    flat = tensor.contiguous().reshape(-1)
    try:
        return bytes(flat.numpy().tobytes())
    except RuntimeError:
        return bytes(flat.tolist())
