"""Size and orientation of a picture, from the first bytes of its file; JPEG and PNG, without a library."""

from __future__ import annotations

import struct
from typing import NamedTuple

HEAD_BYTES = 1 << 17
ORIENTATION = 0x0112
TURNED = (5, 6, 7, 8)
"""Orientations that exchange width and height."""


class Header(NamedTuple):
    """What a picture's file says of it."""

    width: int
    height: int
    orientation: int
    """1 to 8, as EXIF counts; 1 where nothing is said."""

    @property
    def shown(self) -> tuple[int, int]:
        """Width and height once the orientation is obeyed."""
        return (self.height, self.width) if self.orientation in TURNED else (self.width, self.height)


def header_of(path: str) -> Header | None:
    """Return what the file says; None where it is no JPEG or PNG."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
        if head.startswith(b"\xff\xd8"):
            return _jpeg(head)
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            return _png(head)
    except (OSError, struct.error, IndexError):
        return None
    return None


def _png(head: bytes) -> Header:
    width, height = struct.unpack(">II", head[16:24])
    orientation, at = 1, 8
    while at + 8 <= len(head):
        length, kind = struct.unpack(">I4s", head[at : at + 8])
        if kind == b"eXIf":
            orientation = _orientation(head[at + 8 : at + 8 + length])
        if kind in (b"IDAT", b"IEND"):
            break
        at += 12 + length
    return Header(width, height, orientation)


def _jpeg(head: bytes) -> Header | None:
    at, orientation = 2, 1
    while at + 4 <= len(head):
        if head[at] != 0xFF:
            at += 1
            continue
        marker = head[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            at += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack(">H", head[at + 2 : at + 4])
        body = head[at + 4 : at + 2 + length]
        if marker == 0xE1 and body.startswith(b"Exif\x00\x00"):
            orientation = _orientation(body[6:])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", body[1:5])
            return Header(width, height, orientation)
        at += 2 + length
    return None


def _orientation(tiff: bytes) -> int:
    order = "<" if tiff[:2] == b"II" else ">"
    (start,) = struct.unpack(order + "I", tiff[4:8])
    (entries,) = struct.unpack(order + "H", tiff[start : start + 2])
    for number in range(min(entries, 64)):
        at = start + 2 + 12 * number
        tag, kind = struct.unpack(order + "HH", tiff[at : at + 4])
        if tag == ORIENTATION and kind == 3:
            (value,) = struct.unpack(order + "H", tiff[at + 8 : at + 10])
            return int(value) if 1 <= value <= 8 else 1
    return 1
