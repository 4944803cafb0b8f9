"""Probe ``worker_data``: the same items, random numbers pinned, without workers and by several."""

from __future__ import annotations

from collections import Counter

from dldoctor.child.session import Session
from dldoctor.evidence.workers import ChangedItem, WorkerDataEvidence
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


def run(pipeline: Pipeline, session: Session) -> None:
    """Compare, and send."""
    spec = pipeline.spec
    if pipeline.torch_loader is None or pipeline.dataset is None or spec.kind != "map":
        session.missing("worker_data", "a stream has no index by which its random numbers could be pinned")
        return
    if pipeline.asks is not None:
        session.missing("worker_data", pipeline.no_index)
        return
    order = order_of(pipeline, session)
    if not order:
        session.missing("worker_data", "the dataset has no item that could be read")
        return
    try:
        evidence = _compare(pipeline, session, order)
    except ApartDiedError as died:
        session.missing("worker_data", f"a process of the experiment ended with {died}")
        return
    session.evidence("worker_data", evidence)


def _compare(pipeline: Pipeline, session: Session, order: list[int]) -> WorkerDataEvidence:
    first = by_index(apart(session, lambda: read_alone(pipeline, session, order)))
    order = [index for index in order if index in first]
    again = by_index(apart(session, lambda: read_alone(pipeline, session, order)))
    unpinned = {path for i, (_, a) in first.items() if i in again for path in _differing(a, again[i][1])}
    workers, method = workers_for(pipeline)
    found = apart(session, lambda: read_by_workers(pipeline, session, order, workers, method))
    if found["failed"]:
        return WorkerDataEvidence(len(order), workers, method, failed=found["failed"])
    several = by_index(found["reads"])
    changed = _changed(first, several, unpinned)
    by_order = False
    if changed:
        backwards = by_index(apart(session, lambda: read_alone(pipeline, session, order[::-1])))
        by_order = bool(_changed(first, backwards, unpinned))
    paths = Counter(path for path, _ in {(one.path, one.index) for one in changed})
    return WorkerDataEvidence(
        items=len(several),
        workers=workers,
        start_method=method,
        changed=len({one.index for one in changed}),
        examples=tuple(changed[:EXAMPLES]),
        paths=dict(paths),
        by_order=by_order,
        unpinned=tuple(sorted(unpinned)),
        provoked=tuple(found["provoked"]),
    )


def _differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    if (EXCEPTION in one) != (EXCEPTION in other):
        return {EXCEPTION}
    return {path for path in one.keys() & other.keys() if path != EXCEPTION and one[path] != other[path]}


def _changed(
    first: dict[int, tuple[int, dict[str, str]]],
    other: dict[int, tuple[int, dict[str, str]]],
    unpinned: set[str],
) -> list[ChangedItem]:
    found = []
    for index, (worker, marks) in other.items():
        for path in sorted(_differing(first[index][1], marks) - unpinned):
            error = marks.get(EXCEPTION) or first[index][1].get(EXCEPTION) if path == EXCEPTION else None
            found.append(ChangedItem(index, path, worker, error))
    return found
