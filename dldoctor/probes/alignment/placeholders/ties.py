"""How the placeholders of a medium are counted: one hypothesis, and how well the batches bear it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.placeholders import KnownBy, Tie
from dldoctor.probes.alignment.placeholders.matching import Unit
from dldoctor.probes.alignment.placeholders.media import Item, MediaField
from dldoctor.probes.alignment.placeholders.runs import Run, joined, runs_of

TOTALS = 0.95
"""What equal totals are worth, where the lengths of runs differ."""


@dataclass(frozen=True)
class Hypothesis:
    """Which id stands for a medium, and how many of it an item has."""

    ids: tuple[int, ...]
    known_by: KnownBy
    tie: Tie
    number: int = 1
    """Patches merged a side, pixels of a patch a side, or placeholders a tile."""
    line_end: int | None = None
    by_frame: bool = False
    """Each frame of a clip has a run of its own."""
    pooling: str = ""
    """How frames of sound become placeholders."""

    def features(self, item: Item) -> int | None:
        """Return how many placeholders an item should have; None where that cannot be told."""
        if self.tie == "grid":
            patches = item.grid[0] * item.grid[1] * item.grid[2] if item.grid else 0
            return _whole(patches, self.number**2)
        if self.tie == "sizes":
            if item.size is None or item.size[0] % self.number or item.size[1] % self.number:
                return None
            return item.size[0] // self.number * (item.size[1] // self.number) or None
        if self.tie == "lengths":
            return None if item.length is None else POOLINGS[self.pooling](item.length)
        return self.number * item.tiles if self.tie == "tiles" else 1

    def units(self, items: Sequence[Item]) -> list[Unit] | None:
        """Return what each run is expected to hold, in order; None where an item cannot be counted."""
        found = []
        for number, item in enumerate(items):
            size = self.features(item)
            if size is None:
                return None
            parts = item.grid[0] if self.by_frame and item.grid else 1
            splits = item.tiles > 1 or (len(item.grid) == 3 and item.grid[0] > 1)
            found += [Unit(size // parts, number, item.dummy, splits)] * parts
        return found

    def runs(self, ids: Any) -> list[Run]:
        """Return the runs of the placeholder."""
        found = runs_of(ids, self.ids, each=self.tie == "numbered")
        if self.tie == "numbered":
            return [Run(one.row, one.at, 1) for one in found]
        return found if self.line_end is None else joined(ids, found, self.line_end)

    def unit(self, field: MediaField) -> str:
        """Return in words how features are counted."""
        if self.tie == "grid":
            return f"{field.grid} / {self.number}^2" if self.number > 1 else f"product of {field.grid}"
        if self.tie == "sizes":
            return f"{field.sizes} in patches of {self.number}"
        if self.tie == "tiles":
            return (
                f"{self.number} a tile"
                if any(one.tiles > 1 for one in field.items)
                else f"{self.number} each"
            )
        if self.tie == "lengths":
            return f"{field.lengths}, {self.pooling}"
        return "one each" if self.tie == "one" else "one id each"


def _whole(number: int, by: int) -> int | None:
    return number // by if number and number % by == 0 else None


def _halved(length: int) -> int:
    return (length - 1) // 2 + 1


POOLINGS: dict[str, Callable[[int], int]] = {
    "as they are": lambda length: length,
    "halved by a convolution and by pooling": lambda length: (_halved(length) - 2) // 2 + 1,
    "halved": _halved,
    "quartered": lambda length: _halved(_halved(length)),
    "by eight": lambda length: -(-length // 8),
}
"""Ways in which encoders shorten sound."""


def borne_out(runs: Sequence[Run], units: Sequence[Unit], multiple: int = 0) -> float:
    """Return how well runs fit units, whatever their order: nearly 1 if totals agree, else the share alike.

    `multiple`: placeholders of a tile; every run must be a multiple of it for totals to count.
    """
    needed = [unit.size for unit in units if not unit.optional]
    all_of = [unit.size for unit in units]
    lengths = [run.length for run in runs]
    even = not multiple or all(length % multiple == 0 for length in lengths)
    totals = bool(lengths) and even and sum(lengths) in (sum(needed), sum(all_of))
    if multiple:
        lengths = [
            multiple for length in lengths if length % multiple == 0 for _ in range(length // multiple)
        ]
        needed = [multiple for size in needed for _ in range(size // multiple)]
    most = max(len(lengths), len(needed))
    alike = sum((Counter(lengths) & Counter(needed)).values()) / most if most else 1.0
    # Totals prove the id and the arithmetic; lengths tell how runs are to be joined.
    return max(alike, TOTALS + (1 - TOTALS) * alike) if totals else alike
