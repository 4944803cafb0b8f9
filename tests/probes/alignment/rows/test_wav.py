"""A clip is a WAV file of the stated length, and its outline has the loudest values."""

from __future__ import annotations

import io
import struct
import wave

import torch

from dldoctor.probes.alignment.rows.wav import BARS, clip_of


def read(data: bytes) -> tuple[int, int, int, list[int]]:
    """Channels, bytes a value, rate, values."""
    with wave.open(io.BytesIO(data)) as file:
        count = file.getnframes()
        values = list(struct.unpack(f"<{count}h", file.readframes(count)))
        return file.getnchannels(), file.getsampwidth(), file.getframerate(), values


def test_values_come_back():
    """At a low rate nothing is averaged, and one is the end of the range."""
    clip = clip_of(torch.tensor([0.0, 0.5, -0.5, 1.0, -1.0]), 8000)
    assert read(clip.wav) == (1, 2, 8000, [0, 16384, -16384, 32767, -32767])
    assert (clip.peak, clip.seconds) == (1.0, 5 / 8000)
    assert clip.envelope == (0.0, 0.5, 0.5, 1.0, 1.0)


def test_a_higher_rate_is_halved_by_means():
    """Two neighbours become one."""
    clip = clip_of(torch.tensor([0.0, 0.5, 0.25, 0.75]), 16000)
    assert read(clip.wav) == (1, 2, 8000, [8192, 16384])
    assert clip.seconds == 4 / 16000


def test_only_the_beginning_is_kept():
    """So many seconds, whatever the length."""
    clip = clip_of(torch.zeros(8000 * 10), 8000, 1.5)
    assert len(read(clip.wav)[3]) == 12000
    assert (clip.seconds, len(clip.envelope)) == (1.5, BARS)


def test_whole_numbers_are_of_16_bits_and_what_is_louder_is_scaled():
    """A sound of floats beyond the range keeps its form, and its peak is told."""
    assert read(clip_of(torch.tensor([16384, -32768], dtype=torch.int16), 8000).wav)[3] == [16384, -32767]
    clip = clip_of(torch.tensor([2.0, -4.0]), 8000)
    assert read(clip.wav)[3] == [16384, -32767]
    assert clip.peak == 4.0


def test_what_is_not_finite_is_silence():
    """A clip of NaN can be heard, as nothing."""
    assert read(clip_of(torch.tensor([float("nan"), 0.5]), 8000).wav)[3] == [0, 16384]
