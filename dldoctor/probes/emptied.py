"""Whether samples without text, or without a picture, have one with other random numbers: dropped, not missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.protocol import Emptied
from dldoctor.probes.digest import digest
from dldoctor.probes.reading import Reader
from dldoctor.roles.flatten import leaves

SEED = 401
SEEDS = 6
MORE = 24
"""Readings of a sample that stays empty where others of its field do not: half of them may be dropped each time."""
ABSENT = "absent"


def emptied_fields(reader: Reader, suspects: Mapping[str, Sequence[int]]) -> tuple[Emptied, ...]:
    """Read the samples of each field again, which they lack; each is read once for all of its fields."""
    wanted = sorted({index for indices in suspects.values() for index in indices})
    seen = {index: _Seen(reader, index) for index in wanted}
    found = []
    for path, indices in suspects.items():
        read = [index for index in indices if seen[index].upto(SEEDS)]
        filled = [index for index in read if seen[index].varies(path)]
        if filled:
            filled = [
                one for one in read if one in filled or (seen[one].upto(MORE) and seen[one].varies(path))
            ]
        if read:
            found.append(Emptied(path, tuple(read), tuple(filled)))
    return tuple(found)


class _Seen:
    """What one sample held in several readings."""

    def __init__(self, reader: Reader, index: int) -> None:
        self._reader, self._index = reader, index
        self._readings: list[dict[str, Any]] = []

    def upto(self, count: int) -> bool:
        """Read until there are so many; return whether that could be done."""
        while len(self._readings) < count:
            one = self._reader.fresh(self._index, SEED + len(self._readings))
            if one is None:
                return False
            self._readings.append({path: digest(leaf) for path, leaf in leaves(one[0])})
        return True

    def varies(self, path: str) -> bool:
        """Whether a field was not the same each time."""
        return len({reading.get(path, ABSENT) for reading in self._readings}) > 1
