"""Probe ``overlap``: which items of the other target stand in this one too; cheap ways first."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.errors import DldoctorError
from dldoctor.evidence.overlap import OverlapEvidence, SharedItems
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.probes.asks import with_asks
from dldoctor.probes.overlap.marks import Marks, drawn_anew, in_mixed_order, read_items, read_stream
from dldoctor.probes.overlap.matching import Matching
from dldoctor.probes.overlap.numbered import Numbered, numbered
from dldoctor.probes.overlap.places import Places, places_of
from dldoctor.probes.overlap.stored import stored_rows
from dldoctor.probes.reading import Reader
from dldoctor.targets import Pipeline
from dldoctor.targets.pair import beside

AGAINST = "against"
"""Option with the other target; the other side of a comparison has none."""
SECONDS = 12.0
"""Time for reading items of both sides."""
REREAD = 6
ITEMS = 20_000
PAIRS = 10


def run(pipeline: Pipeline, session: Session) -> None:
    """Send the branch ``overlap``, first what is known without reading."""
    given = session.request.options.get(AGAINST)
    if given is None:
        session.missing("overlap", "the other side of the comparison tells of it")
        return
    try:
        sides = beside(session.request.target, pipeline, _options(given))
    except DldoctorError as error:
        session.missing("overlap", str(error))
        return
    if any(side.dataset is None for side in sides):
        session.missing("overlap", "of one of the loaders only the batches can be seen, not its samples")
        return
    sides = (sides[0], with_asks(sides[1], session.staging))
    first, second = places_of(sides[0]), places_of(sides[1])
    found = OverlapEvidence((_count(sides[0], first), _count(sides[1], second)), (0, 0))
    if other := next((side for side in sides if side.asks is not None), None):
        if first is None or second is None or not _one_source(first, second):
            session.missing("overlap", other.no_index)
            return
        at_once = _same_places(first, second)
        shared = () if at_once is None else (at_once,)
        session.evidence("overlap", replace(found, same_source=True, shared=shared))
        return
    candidates: list[tuple[Any, Any]] = []
    numbers = None
    if first is not None and second is not None:
        found, candidates, numbers = _without_reading(first, second, found)
    session.evidence("overlap", found)
    if not found.shared:
        session.evidence(
            "overlap", _Reading(sides, (first, second), session).result(found, candidates, numbers)
        )


def _options(given: dict[str, Any]) -> TargetOptions:
    return TargetOptions(
        **{**given, "kwargs": tuple(given["kwargs"]), "loader": LoaderOptions(**given["loader"])}
    )


def _count(side: Pipeline, places: Places | None) -> int | None:
    return side.spec.dataset_length if places is None else len(places.indices)


def _without_reading(
    first: Places, second: Places, found: OverlapEvidence
) -> tuple[OverlapEvidence, list[tuple[Any, Any]], Numbered | None]:
    """Compare indices and rows; also return items that may be the same."""
    same = _one_source(first, second)
    found = replace(found, same_source=same)
    at_once = _same_places(first, second)
    if at_once is not None:
        return replace(found, shared=(at_once,)), [], None
    stored = stored_rows(first, second)
    if stored.shared is not None:
        return replace(found, rows=stored.compared, shared=(stored.shared,)), [], None
    numbers = None if same else numbered(first, second)
    candidates = [*(numbers.pairs if numbers else ()), *stored.candidates]
    return replace(found, rows=stored.compared), candidates, numbers


def _one_source(first: Places, second: Places) -> bool:
    return {id(leaf) for leaf in first.leaves} == {id(leaf) for leaf in second.leaves}


def _same_places(first: Places, second: Places) -> SharedItems | None:
    """Return items of both sides that are the same index of the same dataset."""
    leaves = {id(leaf): number for number, leaf in enumerate(first.leaves)}
    owners = dict(zip(first.at, first.indices, strict=True))
    pairs = [
        (owners[place], index)
        for index, (leaf, at) in zip(second.indices, second.at, strict=True)
        if (place := (leaves.get(id(second.leaves[leaf]), -1), at)) in owners
    ]
    if not pairs:
        return None
    looked = (len(first.indices), len(second.indices))
    return SharedItems("index", count=len(pairs), looked=looked, pairs=tuple(pairs[:PAIRS]))


class _Reading:
    """Reads items of both sides within the time, those first that may be the same."""

    def __init__(
        self, sides: tuple[Pipeline, Pipeline], places: tuple[Places | None, Places | None], session: Session
    ) -> None:
        self._sides, self._places, self._session = sides, places, session
        budget = session.limits.time_budget_s
        self._seconds = SECONDS if budget is None else min(SECONDS, max(1.0, budget / 3))
        self._marks: list[list[Marks]] = [[], []]
        self._ended: list[bool] = [False, False]
        self._drawn: frozenset[str] = frozenset()

    def result(
        self, found: OverlapEvidence, candidates: list[tuple[Any, Any]], numbers: Numbered | None
    ) -> OverlapEvidence:
        """Read, and return what both sides have."""
        began = time.monotonic()
        for side, share in ((1, 0.5), (0, 1.0)):  # of the second, which is mostly smaller, all should be read
            self._read(side, began + share * self._seconds, [one[side] for one in candidates])
        first, second = self._marks
        matching = Matching(first, second, self._drawn)
        items = (self._items(0, found.items[0]), self._items(1, found.items[1]))
        whole = (len(first) / (items[0] or len(first) or 1), len(second) / (items[1] or len(second) or 1))
        shared = tuple(matching.shared(whole))
        by_number = matching.numbered(numbers) if numbers is not None else None
        if by_number is not None and not [one for one in shared if one.how not in ("text", "part")]:
            looked = (items[0] or len(first), items[1] or len(second))
            shared = (replace(by_number, looked=looked),)
        return replace(
            found,
            items=items,
            read=(len(first), len(second)),
            compared=matching.compared,
            files=matching.files,
            drawn=tuple(sorted(self._drawn)),
            shared=shared,
        )

    def _read(self, side: int, until: float, candidates: list[Any]) -> None:
        dataset, place, marks = self._sides[side].dataset, self._places[side], self._marks[side]
        reader = Reader(dataset, self._session, until)
        ended: list[bool] = []
        if place is None:
            source = read_stream(dataset, reader, ended)
        else:
            source = read_items(reader, in_mixed_order(place.indices, candidates))
        for one in islice(source, ITEMS):
            marks.append(one)
            self._session.progress(samples=sum(map(len, self._marks)))
        self._ended[side] = bool(ended)
        if place is not None:
            again = Reader(dataset, self._session, time.monotonic() + max(1.0, self._seconds / 8))
            self._drawn |= drawn_anew(again, marks[:REREAD])
        marks.sort(key=lambda one: (isinstance(one.at, str), one.at if isinstance(one.at, int) else 0))

    def _items(self, side: int, known: int | None) -> int | None:
        return len(self._marks[side]) if self._ended[side] else known
