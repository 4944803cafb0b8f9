"""Reads the same items several times over in one worker, and notes what varied."""

from __future__ import annotations

import functools
from operator import getitem
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.behaviour import generators as gens
from dldoctor.probes.behaviour.graph import walk
from dldoctor.probes.behaviour.stand_in import StandIn
from dldoctor.probes.digest import digests
from dldoctor.probes.frames import one_line
from dldoctor.roles.flatten import leaves

PIN = 101
SHOWN = 4

Record = dict[str, Any]


class Repeated(StandIn):
    """A map-style dataset whose every item is the whole experiment of one worker."""

    def __getitem__(self, job: int) -> Record:
        """Read each index of the settings `reads` times, as it is and pinned."""
        settings = self._dldoctor_settings
        record: Record = {"worker": self.worker, "globals": gens.shown_states(gens.global_states())}
        starts = [("dataset", self._dldoctor_inner), *settings["others"]]
        series = Series(gens.private_generators(starts))
        try:
            for place, index in enumerate(settings["indices"]):
                for turn in range(settings["reads"]):
                    self.note("getitem", index)
                    series.add("field", index, self._dldoctor_inner[index], shown=turn < SHOWN)
                    if place == turn == 0:
                        series.watch_too(gens.private_generators(starts))
                for _ in range(settings["reads"]):
                    self.note("getitem", index)
                    sample = gens.pinned(PIN, {}, functools.partial(getitem, self._dldoctor_inner, index))
                    series.add("pinned", index, sample)
            self._collate(series, settings)
        except Exception as error:  # noqa: BLE001 - the user's code
            record["failed"] = one_line(error)
        self.note("idle", "")
        return record | series.record()

    def _collate(self, series: Series, settings: dict[str, Any]) -> None:
        collate = settings["collate"]
        if collate is None:
            return
        samples = [
            gens.pinned(PIN, {}, functools.partial(getitem, self._dldoctor_inner, i))
            for i in settings["indices"]
        ]
        for turn in range(settings["reads"]):
            self.note("collate", settings["indices"][-1])
            series.add("field", "batch", collate(list(samples)), prefix="batch.", shown=turn < SHOWN)
        for _ in range(settings["reads"]):
            series.add(
                "pinned", "batch", gens.pinned(PIN, {}, lambda: collate(list(samples))), prefix="batch."
            )


class Series:
    """What came in order, by source and path."""

    def __init__(self, generators: dict[str, Any]) -> None:
        """Watch the state of `generators` beside the values."""
        self._generators = generators
        self._values: dict[str, dict[str, list[list[Any]]]] = {"field": {}, "pinned": {}}
        self._marks: dict[str, list[str]] = {path: [] for path in generators}
        self._shown: dict[str, list[str]] = {}
        self._made: list[str] = []
        self.mark_generators()

    def watch_too(self, generators: dict[str, Any]) -> None:
        """Watch those as well that the first read has made."""
        known = {id(one) for one in self._generators.values()}
        for path, one in generators.items():
            if path not in self._generators and id(one) not in known:
                self._generators[path] = one
                self._marks[path] = [gens.mark_of(gens.state_of(one))]
                self._made.append(path)

    def add(self, source: str, item: Any, sample: Any, *, prefix: str = "", shown: bool = False) -> None:
        """Note one reading of an item."""
        for path, mark in digests(sample).items():
            self._values[source].setdefault(prefix + path, []).append([str(item), mark])
        if shown:
            for path, leaf in leaves(sample):
                self._shown.setdefault(prefix + path, []).append(short(leaf))
        if source == "field":
            self.mark_generators()

    def mark_generators(self) -> None:
        """Note where the private generators stand."""
        for path, one in self._generators.items():
            if len(self._marks[path]) < 64:
                self._marks[path].append(gens.mark_of(gens.state_of(one)))

    def record(self) -> Record:
        """Return all as plain values."""
        return {
            "values": self._values,
            "generators": self._marks,
            "made": self._made,
            "shown": self._shown,
        }


def short(leaf: Any) -> str:
    """Return a leaf as a few characters by which two of them can be told apart."""
    item = attribute(leaf, "item", None)
    size = attribute(leaf, "numel", None)
    count = size() if callable(size) else attribute(leaf, "size", None)
    if callable(item) and count == 1:
        leaf = item()
    if isinstance(leaf, float):
        return f"{leaf:.4g}"
    if isinstance(leaf, (int, str, bool)):
        return repr(leaf)[:24]
    flat = leaf.reshape(-1)[:1] if has(leaf, "reshape") and count else None
    if flat is not None and hasattr(flat, "tolist"):
        value = flat.tolist()[0]
        return f"{value:.4g}, ..." if isinstance(value, float) else f"{value}, ..."
    return type(leaf).__name__


def objects_of(starts: Any) -> int:
    """Return how many objects a walk from there visits."""
    return sum(1 for _ in walk(starts))
