"""How many values of a sound make a second: stated, or told by the file, or assumed and said so."""

from __future__ import annotations

import wave

import pytest
import torch

from dldoctor.probes.alignment.rows.sounds import rate_of_file, sound_of, wave_in


@pytest.fixture
def clip(tmp_path):
    """A WAV file of half a second at 11,025 Hz."""
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(11025)
        file.writeframes(bytes(2 * 5512))
    return str(path)


def test_the_file_tells_the_rate_of_what_was_resampled(clip):
    """Half a second is 4,000 values at 8,000 Hz; what was cut fits no usual rate."""
    assert rate_of_file(5512, [clip]) == 11025
    assert rate_of_file(4000, ["a.jpg", clip]) == 8000
    assert rate_of_file(3000, [clip]) is None
    assert rate_of_file(4000, [clip, clip]) is None
    assert rate_of_file(4000, ["missing.wav"]) is None


def test_a_field_comes_before_the_file(clip):
    """And what a batch padded has the rate of the sample before."""
    padded, own = torch.zeros(9000), {"audio": torch.zeros(4000)}
    by_field = sound_of("audio", padded, {}, {**own, "sampling_rate": 16000}, [clip])
    by_file = sound_of("audio", padded, {}, own, [clip])
    unknown = sound_of("audio", padded, {}, own)
    assert [(one.rate, one.rate_from, one.seconds) for one in (by_field, by_file, unknown) if one] == [
        (16000, "field", 0.5625),
        (8000, "file", 1.125),
        (16000, "assumed", 0.5625),
    ]


def test_channels_become_one():
    """In either order; a spectrogram is no sound."""
    stereo = torch.stack([torch.ones(100), torch.zeros(100)])
    assert torch.equal(wave_in(stereo), torch.full((100,), 0.5, dtype=torch.float64))
    assert torch.equal(wave_in(stereo.T), torch.full((100,), 0.5, dtype=torch.float64))
    assert wave_in(torch.zeros(80, 300)) is None
