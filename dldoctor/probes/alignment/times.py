"""How many seconds each part of a sample lasts, as far as rates or fields tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.times import TimeRow
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.pictures import SURE, paths_of
from dldoctor.probes.arrays import is_array, shape_of
from dldoctor.probes.look import as_tensor

RATES = ("sampling_rate", "sample_rate", "samplerate", "sr", "fs")
FRAME_RATES = ("fps", "frame_rate", "video_fps", "framerate")
DURATIONS = (
    "duration",
    "duration_s",
    "seconds",
    "audio_duration",
    "video_duration",
    "length_s",
    "duration_ms",
)
STAMPS = ("timestamps", "timestamp", "end", "ends", "end_time", "end_times", "word_ends", "end_s")
SLOWEST_HZ, FASTEST_HZ = 2000, 400_000
CHANNELS = 8


def time_row(sample: SampleId, held: Mapping[str, Any], roles: Mapping[str, Inferred]) -> TimeRow | None:
    """Return the seconds of each part; None where less than two parts can be told."""
    named = {path.rpartition(".")[2].lower(): path for path in held}
    lasts: dict[str, float] = {}
    sounds = paths_of("audio", roles, held) or [
        path for path in held if path.endswith((".array", "waveform"))
    ]
    rate = _first(held, named, RATES)
    if rate is not None and SLOWEST_HZ <= rate <= FASTEST_HZ:
        for path in sounds[:2]:
            length = sound_length(held[path])
            if length:
                lasts[path] = length / rate
    fps = _first(held, named, FRAME_RATES)
    if fps is not None and 0.5 <= fps <= 1000:
        for path in paths_of("video", roles, held)[:2]:
            frames = _frames(held[path])
            if frames:
                lasts[path] = frames / fps
    for name in DURATIONS:
        value = _first(held, named, (name,))
        if value is not None and value > 0:
            lasts[named[name]] = value / 1000 if name.endswith("_ms") else value
    last = _last_stamp(held, named, roles, _films(held, roles))
    if len(lasts) + (last is not None) < 2 or not lasts:
        return None
    return TimeRow(sample, lasts, rate, None if last is None else last[0], None if last is None else last[1])


def _first(held: Mapping[str, Any], named: Mapping[str, str], names: tuple[str, ...]) -> float | None:
    for name in names:
        if name in named:
            table = as_tensor(held[named[name]])
            try:
                return float(held[named[name]] if table is None else table.reshape(-1)[0])
            except (TypeError, ValueError, RuntimeError, IndexError):
                continue
    return None


def sound_length(leaf: Any) -> int | None:
    """Return how many numbers a sound has for each channel; None where a leaf is none."""
    if isinstance(leaf, (list, tuple)):
        return len(leaf) if leaf and isinstance(leaf[0], (int, float)) else None
    if not is_array(leaf):
        return None
    shape = shape_of(leaf) or ()
    if len(shape) == 1:
        return shape[0]
    return max(shape) if len(shape) == 2 and min(shape) <= CHANNELS else None


def _frames(leaf: Any) -> int | None:
    if isinstance(leaf, (list, tuple)):
        return len(leaf)
    shape = shape_of(leaf) or () if is_array(leaf) else ()
    if len(shape) != 4:
        return None
    # [C, T, H, W] is as common as [T, C, H, W] and [T, H, W, C].
    return shape[1] if shape[0] in (1, 3, 4) and shape[1] not in (1, 3, 4) else shape[0]


def _films(held: Mapping[str, Any], roles: Mapping[str, Inferred]) -> set[int]:
    """Return how many frames the films of a sample have."""
    return {count for path in paths_of("video", roles, held) if (count := _frames(held[path]))}


def _last_stamp(
    held: Mapping[str, Any], named: Mapping[str, str], roles: Mapping[str, Inferred], frames: set[int]
) -> tuple[str, float] | None:
    """Return the last of the times that lie within the sample.

    One time for each frame says when it was in the whole film, of which a sample may hold every second frame.
    """
    paths = [path for path, one in roles.items() if one.role == "timestamps" and one.confidence >= SURE]
    paths = [path for path in paths if path in held] or [named[name] for name in STAMPS if name in named]
    for path in paths:
        table = as_tensor(held[path])
        if table is not None and table.numel() in frames - {1}:
            continue
        if table is not None and table.numel() and bool(table.isfinite().all()):
            return path, float(table.max())
    return None
