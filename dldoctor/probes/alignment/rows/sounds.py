"""The sound of a row: which field, how many samples a second, and a clip of it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.row_media import RowSound
from dldoctor.probes.alignment.rows.wav import SECONDS, clip_of
from dldoctor.probes.alignment.times import CHANNELS, RATES
from dldoctor.probes.look import as_tensor

ASSUMED = 16_000
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


def sound_of(path: str, leaf: Any, *places: Mapping[str, Any], seconds: float = SECONDS) -> RowSound | None:
    """Return the clip of a field; the rate is what the row or its sample states."""
    wave = wave_in(leaf)
    if wave is None:
        return None
    found = stated(RATES, *places)
    known = found is not None and SLOWEST <= found <= FASTEST
    rate = round(found) if known and found is not None else ASSUMED
    clip = clip_of(wave, rate, seconds)
    return RowSound(
        path=path,
        wav=base64.b64encode(clip.wav).decode("ascii"),
        rate=rate,
        rate_known=known,
        seconds=round(len(wave) / rate, 4),
        heard_s=round(clip.seconds, 4),
        envelope=clip.envelope,
        peak=clip.peak,
    )
