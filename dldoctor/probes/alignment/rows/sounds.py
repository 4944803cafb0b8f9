"""The sound of a row: which field, how many samples a second, and a clip of it."""

from __future__ import annotations

import base64
import wave
from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.row_media import RowSound
from dldoctor.probes.alignment.rows.wav import SECONDS, clip_of
from dldoctor.probes.alignment.times import CHANNELS, RATES
from dldoctor.probes.look import as_tensor

ASSUMED = 16_000
USUAL = (8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
NEAR = 0.002
SLOWEST, FASTEST = 2000, 400_000


def wave_in(leaf: Any) -> Any:
    """Return one channel of a sound; None where a leaf holds none."""
    table = as_tensor(leaf)
    if table is None or not table.numel():
        return None
    table = table.detach()
    if table.ndim == 2 and min(table.shape) <= CHANNELS < max(table.shape):
        table = table.double().mean(0 if table.shape[0] <= CHANNELS else 1)
    return table if table.ndim == 1 and len(table) > CHANNELS else None


def stated(names: tuple[str, ...], *places: Mapping[str, Any]) -> float | None:
    """Return the first number under one of these names."""
    for held in places:
        for path, leaf in held.items():
            if path.rpartition(".")[2].lower() not in names:
                continue
            table = as_tensor(leaf)
            try:
                return float(leaf if table is None else table.reshape(-1)[0])
            except (TypeError, ValueError, RuntimeError, IndexError):
                continue
    return None


def rate_of_file(values: int, files: Sequence[str]) -> int | None:
    """Return the usual rate at which so many values last as long as the sample's one WAV file.

    It holds after resampling too, and of a sound that was cut there is none.
    """
    lengths = []
    for path in files:
        if path.lower().endswith(".wav"):
            try:
                with wave.open(path) as file:
                    lengths.append(file.getnframes() / file.getframerate())
            except (OSError, EOFError, ValueError, ZeroDivisionError, wave.Error):
                continue
    if len(lengths) != 1 or not lengths[0]:
        return None
    rate = values / lengths[0]
    return next((one for one in USUAL if abs(rate - one) <= NEAR * one), None)


def sound_of(
    path: str,
    leaf: Any,
    row: Mapping[str, Any],
    sample: Mapping[str, Any],
    files: Sequence[str] = (),
    seconds: float = SECONDS,
) -> RowSound | None:
    """Return the clip of a field; the rate is what the row or its sample states, or what its file tells."""
    sound = wave_in(leaf)
    if sound is None:
        return None
    # The sample's own length: in the batch it may be padded.
    own = wave_in(sample[path]) if path in sample else None
    by_file = rate_of_file(len(sound if own is None else own), files)
    found = stated(RATES, row, sample)
    known = found is not None and SLOWEST <= found <= FASTEST
    rate = round(found) if known and found is not None else by_file or ASSUMED
    clip = clip_of(sound, rate, seconds)
    return RowSound(
        path=path,
        wav=base64.b64encode(clip.wav).decode("ascii"),
        rate=rate,
        rate_from="field" if known else "file" if by_file else "assumed",
        seconds=round(len(sound) / rate, 4),
        heard_s=round(clip.seconds, 4),
        envelope=clip.envelope,
        peak=clip.peak,
    )
