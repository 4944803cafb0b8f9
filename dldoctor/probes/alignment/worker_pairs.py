"""Whether the parts of one item still belong together where several workers read at the same time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import ApartItem, WorkerPairs
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.pinned_items import (
    EXCEPTION,
    by_index,
    order_of,
    read_alone,
    read_by_workers,
    workers_for,
)
from dldoctor.targets import Pipeline

EXAMPLES = 20
Marks = Mapping[int, tuple[int, dict[str, str]]]
Owners = Mapping[str, Mapping[str, frozenset[int]]]


def worker_pairs(pipeline: Pipeline, session: Session) -> Any:
    """Return a `WorkerPairs`; null where items have no index or one part only."""
    if pipeline.torch_loader is None or pipeline.dataset is None or not pipeline.by_index:
        return None
    order = order_of(pipeline, session)
    if not order:
        return None
    workers, method = workers_for(pipeline)
    try:
        alone = by_index(apart(session, lambda: read_alone(pipeline, session, order)))
        again = by_index(apart(session, lambda: read_alone(pipeline, session, list(alone))))
        found = apart(session, lambda: read_by_workers(pipeline, session, list(alone), workers, method))
    except ApartDiedError as died:
        return WorkerPairs(0, workers, method, failed=f"a process of the experiment ended with {died}")
    if found["failed"]:
        return WorkerPairs(0, workers, method, failed=found["failed"])
    steady = _steady(alone, again)
    owners = owners_of(alone, steady)
    read = by_index(found["reads"])
    items = apart_items(read, owners)
    return WorkerPairs(
        items=len(read),
        workers=workers,
        start_method=method,
        fields=tuple(owners),
        apart=len(items),
        examples=tuple(items[:EXAMPLES]),
        provoked=tuple(found["provoked"]),
    )


def _steady(alone: Marks, again: Marks) -> set[str]:
    """Return the fields that two runs without workers give alike."""
    paths = Counter(path for _, marks in alone.values() for path in marks)
    moved = {
        path
        for index, (_, marks) in alone.items()
        for path, mark in marks.items()
        if index in again and again[index][1].get(path) != mark
    }
    return {path for path in paths if path != EXCEPTION} - moved


def owners_of(alone: Marks, paths: set[str]) -> Owners:
    """Return field to content to the items that have it; fields that are equal in all items tell nothing."""
    owners: dict[str, dict[str, set[int]]] = {path: defaultdict(set) for path in sorted(paths)}
    for index, (_, marks) in alone.items():
        for path, mark in marks.items():
            if path in owners:
                owners[path][mark].add(index)
    return {
        path: {mark: frozenset(items) for mark, items in marks.items()}
        for path, marks in owners.items()
        if len(marks) > 1
    }


def apart_items(read: Marks, owners: Owners) -> list[ApartItem]:
    """Return the items of which no single one can have all parts."""
    found = []
    for index, (worker, marks) in sorted(read.items()):
        sources = {
            path: items
            for path, known in owners.items()
            if path in marks and (items := known.get(marks[path], frozenset()))
        }
        if len(sources) > 1 and not frozenset.intersection(*sources.values()):
            parts = {
                path: next(iter(items)) if len(items) == 1 else index if index in items else None
                for path, items in sources.items()
            }
            found.append(ApartItem(index, worker, parts))
    return found
