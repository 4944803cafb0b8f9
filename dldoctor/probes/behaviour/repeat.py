"""Reads the same items several times over in one worker, and notes what varied."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from operator import getitem
from typing import Any

from dldoctor.probes.behaviour import generators as gens
from dldoctor.probes.behaviour.graph import walk
from dldoctor.probes.behaviour.stand_in import StandIn
from dldoctor.probes.digest import digests
from dldoctor.probes.frames import one_line
from dldoctor.roles.flatten import leaves

PIN = 101
SHOWN = 4
STREAM_SAMPLES = 256
"""A longer stream is not read to its end twice."""

Record = dict[str, Any]


class Repeated(StandIn):
    """A map-style dataset whose every item is the whole experiment of one worker."""

    def __getitem__(self, job: int) -> Record:
        """Read each index of the settings `reads` times, as it is and pinned."""
        settings = self._dldoctor_settings
        record: Record = {"worker": self.worker, "globals": gens.shown_states(gens.global_states())}
        kept = gens.private_generators([("dataset", self._dldoctor_inner), *settings["others"]])
        series = Series(kept)
        try:
            for index in settings["indices"]:
                for turn in range(settings["reads"]):
                    self.note("getitem", index)
                    series.add("field", index, self._dldoctor_inner[index], shown=turn < SHOWN)
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


class RepeatedStream(StandIn):
    """A stream read to its end twice by each worker, each its own part of it."""

    def __getitem__(self, job: int) -> Record:
        """Read two passes; content counts as random where the passes differ as multisets."""
        settings = self._dldoctor_settings
        record: Record = {"worker": self.worker, "globals": gens.shown_states(gens.global_states())}
        series = Series(gens.private_generators([("dataset", self._dldoctor_inner), *settings["others"]]))
        passes: list[dict[str, list[str]]] = [{}, {}]
        try:
            for number, found in enumerate(passes):
                for ordinal, sample in enumerate(_first(iter(self._dldoctor_inner), STREAM_SAMPLES + 1)):
                    self.note("iter", ordinal)
                    if ordinal == STREAM_SAMPLES:
                        record["failed"] = f"the stream has more than {STREAM_SAMPLES} samples a worker"
                        return record | series.record()
                    for path, mark in digests(sample).items():
                        found.setdefault(path, []).append(mark)
                    if number == 0:
                        series.mark_generators()
        except Exception as error:  # noqa: BLE001 - the user's code
            record["failed"] = one_line(error)
        self.note("idle", "")
        first, second = passes
        random = {
            p: [["a"], ["b"]] if sorted(m) != sorted(second.get(p, [])) else [["a"]] for p, m in first.items()
        }
        return record | series.record() | {"stream": {path: len(kinds) for path, kinds in random.items()}}


def _first(samples: Iterator[Any], count: int) -> Iterator[Any]:
    for _, sample in zip(range(count), samples, strict=False):
        yield sample


class Series:
    """What came in order, by source and path."""

    def __init__(self, generators: dict[str, Any]) -> None:
        """Watch the state of `generators` beside the values."""
        self._generators = generators
        self._values: dict[str, dict[str, list[list[Any]]]] = {"field": {}, "pinned": {}}
        self._marks: dict[str, list[str]] = {path: [] for path in generators}
        self._shown: dict[str, list[str]] = {}
        self.mark_generators()

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
        return {"values": self._values, "generators": self._marks, "shown": self._shown}


def short(leaf: Any) -> str:
    """Return a leaf as a few characters by which two of them can be told apart."""
    item = getattr(leaf, "item", None)
    size = getattr(leaf, "numel", None)
    count = size() if callable(size) else getattr(leaf, "size", None)
    if callable(item) and count == 1:
        leaf = item()
    if isinstance(leaf, float):
        return f"{leaf:.4g}"
    if isinstance(leaf, (int, str, bool)):
        return repr(leaf)[:24]
    flat = leaf.reshape(-1)[:1] if hasattr(leaf, "reshape") and count else None
    if flat is not None and hasattr(flat, "tolist"):
        value = flat.tolist()[0]
        return f"{value:.4g}, ..." if isinstance(value, float) else f"{value}, ..."
    return type(leaf).__name__


def objects_of(starts: Any) -> int:
    """Return how many objects a walk from there visits."""
    return sum(1 for _ in walk(starts))
