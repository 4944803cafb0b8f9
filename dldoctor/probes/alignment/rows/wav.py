"""The beginning of a sound as a short WAV file of one channel, and its outline."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from dldoctor.probes.alignment.rows.png import as_bytes

SECONDS = 3.0
RATE = 8000
"""A clip has about so many samples a second at most: speech can be understood, and it stays small."""
BARS = 120
FULL = 32767


@dataclass(frozen=True)
class Clip:
    """What can be heard of a sound."""

    wav: bytes
    seconds: float
    envelope: tuple[float, ...]
    peak: float


def clip_of(sound: Any, rate: int, seconds: float = SECONDS) -> Clip:
    """Return the first seconds of one channel (floats of -1 to 1, or whole numbers of 16 bits).

    Above the range of a file, the sound is scaled to its peak.
    """
    import torch

    whole = not sound.is_floating_point()
    values = sound.double().nan_to_num(0.0, 0.0, 0.0)
    peak = float(values.abs().max()) if values.numel() else 0.0
    scale = (32768.0 if peak <= 32768 else peak) if whole else max(1.0, peak)
    part = values[: max(1, round(seconds * rate))] / scale
    step = max(1, round(rate / RATE))
    if step > 1 and len(part) >= step:
        # The mean of neighbours, so that high tones do not come back as low ones.
        part = part[: len(part) // step * step].reshape(-1, step).mean(1)
    coded = (part * FULL).round().clamp(-FULL - 1, FULL).to(torch.int16)
    return Clip(
        wav=_file(as_bytes(coded.view(torch.uint8)), round(rate / step)),
        seconds=len(part) * step / rate,
        envelope=_envelope(part),
        peak=peak,
    )


def _file(data: bytes, rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(data)
    return out.getvalue()


def _envelope(part: Any) -> tuple[float, ...]:
    bars = min(BARS, len(part))
    edges = [len(part) * at // bars for at in range(bars + 1)] if bars else []
    return tuple(round(min(1.0, float(part[low:high].abs().max())), 3) for low, high in pairwise(edges))
