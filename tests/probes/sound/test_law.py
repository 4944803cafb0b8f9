"""Sounds are as long as their recordings in numbers, or in seconds."""

from __future__ import annotations

import pytest

from dldoctor.probes.sound.law import Length, fate_of

RATES = (16000, 44100, 16000, 44100, 16000)
SECONDS = (0.5, 0.7, 1.1, 0.9, 0.6)


def made(kind: str, hop: float = 1) -> list[Length]:
    """Return lengths of sounds that are kept or resampled to 16 kHz, one row for each `hop` numbers."""
    found = []
    for rate, seconds in zip(RATES, SECONDS, strict=True):
        numbers = rate * seconds if kind == "kept" else 16000 * seconds
        found.append(Length(rate, int(rate * seconds), int(numbers / hop)))
    return found


@pytest.mark.parametrize("hop", [1, 160, 400])
@pytest.mark.parametrize("kind", ["kept", "resampled"])
def test_numbers_and_seconds_are_told_apart(kind: str, hop: float) -> None:
    """Also by the frames of a spectrogram."""
    assert fate_of(made(kind, hop)) == kind


def test_what_tells_nothing() -> None:
    """One rate, windows of one length, and lengths that follow neither."""
    assert fate_of([one for one in made("kept") if one.rate == 16000]) == "unknown"
    assert fate_of([one._replace(length=8000) for one in made("kept")]) == "unknown"
    assert (
        fate_of(
            [
                one._replace(length=length)
                for one, length in zip(made("kept"), (9, 40, 12, 7, 80), strict=True)
            ]
        )
        == "unknown"
    )


def test_sounds_of_one_length_that_are_those_of_their_files_are_kept() -> None:
    """All clips of 16,000 numbers, whatever their rate."""
    assert fate_of([Length(rate, 16000, 16000) for rate in RATES]) == "kept"
