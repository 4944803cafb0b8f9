"""The readings of one item, and what they say of each field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Any

from dldoctor.evidence.probe_pictures import Channels, ProbedField, Shrunk, Wrapped
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.digest import digest
from dldoctor.probes.probe_pictures.colours import black_of, differences, order_of, together, white_of
from dldoctor.probes.probe_pictures.detail import SHRUNK, Detail, detail_of
from dldoctor.probes.probe_pictures.drawings import COLOURS, Drawing
from dldoctor.probes.probe_pictures.reading import Reading
from dldoctor.probes.probe_pictures.wraps import Wrap, wrap_of

SCALED: tuple[Drawing, ...] = ("steps", "across", "down", "noise")
SMOOTH: Drawing = "hills"
OTHERS: tuple[Drawing, ...] = ("black", *COLOURS, "steps", "across", "down", "noise")


class ItemReadings:
    """Feed it the readings of one item; only what they say is kept of a seed that is done."""

    def __init__(self, item: int, kind: str) -> None:
        """Start with nothing."""
        self._sample: SampleId = item if kind == "map" else StreamPosition(0, item)
        self._read: dict[Drawing, Reading] = {}
        self._first: dict[str, Any] = {}
        self.varies = True
        """Whether another seed may tell more."""
        self._orders: dict[str, list[Any]] = defaultdict(list)
        self._levels: dict[str, list[tuple[list[float], list[float]]]] = defaultdict(list)
        self._details: dict[str, list[Detail]] = defaultdict(list)
        self._wraps: dict[str, list[Wrap | None]] = defaultdict(list)
        self._whole: dict[str, bool] = {}
        self._source: Reading | None = None
        self._shrinks: list[Any] = []

    def wanted(self, seed: int, whole_seeds: int) -> Iterator[Drawing]:
        """Yield what to read under this seed: everything under the first ones, then the smooth picture alone.

        The smooth one comes first: an item that it shows alike under two seeds is not read on.
        """
        self._finish()
        if self.varies:
            yield SMOOTH
        if self.varies and seed < whole_seeds and not self._is_alike(seed):
            yield from OTHERS

    def _is_alike(self, seed: int) -> bool:
        """Whether the second seed gave what the first did."""
        found = self._read.get(SMOOTH)
        seen = {path: digest(one.values) for path, one in found.planes.items()} if found else {}
        if seed == 0:
            self._first = seen
        elif seen and seen == self._first:
            self.varies = False
        return not self.varies

    def add(self, drawing: Drawing, found: Reading | None) -> None:
        """Take one reading."""
        if found is None:
            return
        self._read[drawing] = found
        if drawing == SMOOTH:
            for path, plane in found.planes.items():
                self._wraps[path].append(wrap_of(plane.values, whole=plane.whole))

    def _finish(self) -> None:
        """Judge what was read under one seed, and forget it."""
        read, self._read = self._read, {}
        black = read.get("black")
        if black is None or not black.exchanged:
            return
        self._source = self._source or black
        for path in black.planes:
            self._field(path, read)

    def _field(self, path: str, read: dict[Drawing, Reading]) -> None:
        planes = {name: one.planes[path].values for name, one in read.items() if path in one.planes}
        self._whole[path] = read["black"].planes[path].whole
        changes = differences(planes["black"], [planes[one] for one in COLOURS if one in planes])
        if changes is None or max(float(one.abs().max()) for one in changes) == 0:
            return  # a picture that is none of those that were exchanged
        order = order_of(changes)
        low, high = black_of(planes["black"]), white_of(changes)
        self._orders[path].append(order)
        self._levels[path].append((low, high))
        self._detail(path, read, planes)

    def _detail(self, path: str, read: dict[Drawing, Reading], planes: Any) -> None:
        """Look at the noise, where one picture was exchanged, or several of one size."""
        if len(read["black"].sizes) != 1 or not planes.keys() >= set(SCALED):
            return
        size = next(iter(read["black"].sizes))
        shown = [planes[name] for name in SCALED]
        if len({one.shape for one in shown}) > 1:
            return
        every = [
            detail_of(steps, across, down, noisy, size)
            for steps, across, down, noisy in zip(*shown, strict=True)
        ]
        found = [one for one in every if one is not None]
        if found:
            self._details[path].append(min(found, key=lambda one: one.levels))
            self._shrinks = read["noise"].shrinks

    def result(self) -> Iterator[ProbedField]:
        """Yield what was seen of each field that answered."""
        self._finish()
        source = self._source
        if source is None:
            return
        for path in self._orders:
            yield ProbedField(
                path,
                self._sample,
                source.main,
                self._channels(path, source),
                self._shrunk(path),
                self._wrapped(path),
            )

    def _channels(self, path: str, source: Reading) -> Channels | None:
        order = together(self._orders[path])
        if order is None:
            return None
        levels = self._levels[path]
        depth = len(levels[0][0])
        black, white = (
            tuple(median(one[part][at] for one in levels) for at in range(depth)) for part in (0, 1)
        )
        swaps = source.swaps
        return Channels(
            order,
            black,
            white,
            len(swaps) // len(source.exchanged),
            swaps[-1] if swaps else None,
            self._whole[path],
        )

    def _shrunk(self, path: str) -> Shrunk | None:
        found = [one for one in self._details[path] if one.factor >= SHRUNK]
        if not found:
            return None
        least = min(found, key=lambda one: one.levels)
        call, where = self._shrinks[-1] if self._shrinks else (None, None)
        return Shrunk(least.factor, least.levels, len(found), where, call)

    def _wrapped(self, path: str) -> Wrapped | None:
        seen = self._wraps[path]
        if not seen:
            return None
        wraps = [one for one in seen if one is not None]
        most = max(wraps, default=None, key=lambda one: one.share)
        if most is None:
            return Wrapped(len(seen), 0)
        return Wrapped(len(seen), len(wraps), most.share, most.before, most.after)
