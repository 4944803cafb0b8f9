"""One item with a sound: how long its fields are, the recording that is read for it, the rate that it states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dldoctor.probes.alignment.opened import opened_files
from dldoctor.probes.alignment.times import DURATIONS, FASTEST_HZ, RATES, SLOWEST_HZ, sound_length
from dldoctor.probes.arrays import is_array, unboxed
from dldoctor.probes.reading import SEED, Reader
from dldoctor.probes.sound.headers import Header, header_of
from dldoctor.roles.flatten import leaves

SHORTEST = 16
USUAL = frozenset({8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 192000})
BEFORE = ("orig", "source", "native", "file", "old")
"""Begins the name of a rate that a sound had before."""


class Item(NamedTuple):
    """What one read gave."""

    number: int
    """Its index in the dataset."""
    sample: Any
    held: Mapping[str, Any]
    lengths: Mapping[tuple[str, int], int]
    """Field and axis of what may be a sound, or rows made of one, to its length."""
    file: str | None
    header: Header | None
    """Null where none, or several recordings were read."""
    rates: Mapping[str, float]
    """Field to the rate that it states."""
    seconds: float | None
    """How long it lasts, as a field states."""


def read_item(reader: Reader, index: int) -> Item | None:
    """Read one item; None where that fails."""
    with opened_files() as files:
        one = reader.fresh(index, SEED)
    if one is None:
        return None
    held = dict(leaves(one[0]))
    sounds = [(file, header) for file in files if (header := header_of(file)) is not None]
    # Of several recordings it is not known which one the sound is of.
    file, header = sounds[0] if len(sounds) == 1 else (None, None)
    return Item(index, one[0], held, lengths_of(held.items()), file, header, _rates(held), _seconds(held))


def lengths_of(fields: Sequence[tuple[str, Any]] | Any) -> dict[tuple[str, int], int]:
    """Return the axes of real numbers that may be those of a sound."""
    found = {}
    for path, leaf in fields:
        plain = sound_length(leaf)
        if plain is not None and isinstance(leaf, (list, tuple)):
            found[path, 0] = plain
        elif is_array(leaf) and 1 <= len(leaf.shape) <= 4 and "float" in str(leaf.dtype):
            for axis, size in enumerate(leaf.shape):
                if int(size) >= SHORTEST:
                    found[path, axis - len(leaf.shape)] = int(size)
    return found


def _rates(held: Mapping[str, Any]) -> dict[str, float]:
    """Return what fields state: by their name, or by a usual rate that stands beside an array in a tuple."""
    found = {}
    for path, leaf in held.items():
        name = path.rpartition(".")[2].lower()
        value = _number(leaf)
        if value is None or not SLOWEST_HZ <= value <= FASTEST_HZ or name.startswith(BEFORE):
            continue
        beside = held.get(f"{path.removesuffix(name)}0") if name == "1" else None
        placed = beside is not None and sound_length(beside) is not None and value in USUAL
        if name in RATES or name.endswith(("_sr", "sampling_rate", "sample_rate")) or placed:
            found[path] = value
    return found


def _seconds(held: Mapping[str, Any]) -> float | None:
    for path, leaf in held.items():
        name, value = path.rpartition(".")[2].lower(), _number(leaf)
        if name in DURATIONS and value:
            return value / 1000 if name.endswith("_ms") else value
    return None


def _number(leaf: Any) -> float | None:
    value = unboxed(leaf)
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
