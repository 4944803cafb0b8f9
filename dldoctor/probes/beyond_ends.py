"""Which item comes for an index beyond the ends of a dataset."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.evidence.protocol import Reading
from dldoctor.probes.digest import digests
from dldoctor.probes.reading import Reader

OTHER_SEED = 202
COMPARED = 32
"""Items that what came is compared with."""


def compared(reader: Reader, reading: Reading | None, length: int) -> Reading | None:
    """Say which item a reading beyond the ends is equal to."""
    if reading is None or reading.outcome != "value":
        return reading
    if reading.index < 0 and reader.alike(reading.index, length - 1) is None:
        return None  # nothing in it can be compared
    others = (length - 1, 0, *range(1, min(length - 1, COMPARED)))
    alike = [index for index in dict.fromkeys(others) if reader.alike(reading.index, index)]
    if not alike:
        return reading
    if len(alike) > 1 and alike[0] != length - 1 and not _keeps(reader, alike[0]):
        # Random numbers make the items, and the same ones make them alike.
        return None if reading.index < 0 else reading
    return replace(reading, same_as=alike[0])


def _keeps(reader: Reader, index: int) -> bool:
    """Whether an item is the same with other random numbers."""
    again = reader.fresh(index, OTHER_SEED)
    return again is not None and digests(again[0]) == reader.content(index)
