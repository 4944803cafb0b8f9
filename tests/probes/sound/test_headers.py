"""Rate and length from the first bytes of a file."""

from __future__ import annotations

import struct
import wave
from pathlib import Path

from dldoctor.probes.sound.headers import Header, header_of


def test_wav(tmp_path: Path) -> None:
    """Whole numbers by Python's own writer, real ones with a chunk before the data."""
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(400))
    assert header_of(str(path)) == Header(22050, 100)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, 48000, 192000, 4, 32)
    extra = struct.pack("<4sI", b"LIST", 3) + b"abc\0"
    body = b"WAVE" + form + extra + struct.pack("<4sI", b"data", 40) + bytes(40)
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    assert header_of(str(path)) == Header(48000, 10)


def test_flac(tmp_path: Path) -> None:
    """Rate and length stand in one number of 64 bits."""
    path = tmp_path / "a.flac"
    packed = (44100 << 44) | (1 << 41) | (15 << 36) | 123456
    info = bytes(10) + packed.to_bytes(8, "big") + bytes(16)
    path.write_bytes(b"fLaC" + bytes([0x80]) + len(info).to_bytes(3, "big") + info)
    assert header_of(str(path)) == Header(44100, 123456)


def test_others_and_broken_files_have_none(tmp_path: Path) -> None:
    """Cut within the header, a page of text, nothing."""
    for content in (b"RIFF\x00\x00", b"RIFF" + bytes(4) + b"WAVEfmt ", b"fLaC", b"<html>", b""):
        (tmp_path / "x").write_bytes(content)
        assert header_of(str(tmp_path / "x")) is None
    assert header_of(str(tmp_path / "absent")) is None
