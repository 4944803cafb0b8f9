"""Sampling rate and length of a sound file, from its first bytes (WAV, FLAC)."""

from __future__ import annotations

import struct
from typing import BinaryIO, NamedTuple

CHUNKS = 64
FLAC_INFO = 34


class Header(NamedTuple):
    """What a file says of itself."""

    rate: int
    """In Hz."""
    frames: int
    """Numbers per channel."""


def header_of(path: str) -> Header | None:
    """Return the header; None where the file is no sound that is known here."""
    try:
        with open(path, "rb") as file:
            mark = file.read(4)
            if mark in (b"RIFF", b"RF64"):
                return _wav(file)
            return _flac(file) if mark == b"fLaC" else None
    except (OSError, struct.error):
        return None


def _wav(file: BinaryIO) -> Header | None:
    _, kind = struct.unpack("<I4s", file.read(8))
    if kind != b"WAVE":
        return None
    rate = align = 0
    for _ in range(CHUNKS):
        start = file.read(8)
        if len(start) < 8:
            return None
        name, size = struct.unpack("<4sI", start)
        if name == b"fmt ":
            _, _, rate, _, align = struct.unpack("<HHIIH", file.read(14))
            file.seek(size - 14 + size % 2, 1)
        elif name == b"data":
            return Header(rate, size // align) if rate and align and size else None
        else:
            file.seek(size + size % 2, 1)
    return None


def _flac(file: BinaryIO) -> Header | None:
    start = file.read(4)
    if len(start) < 4 or start[0] & 0x7F or int.from_bytes(start[1:], "big") < FLAC_INFO:
        return None
    packed = int.from_bytes(file.read(FLAC_INFO)[10:18], "big")
    rate, frames = packed >> 44, packed & ((1 << 36) - 1)
    return Header(rate, frames) if rate and frames else None
