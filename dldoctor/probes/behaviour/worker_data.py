"""Probe ``worker_data``: the same items, random numbers pinned, without workers and by several."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import ChangedItem, WorkerDataEvidence
from dldoctor.probes.behaviour import generators as gens
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.epochs import begin_epoch
from dldoctor.probes.behaviour.graph import roots
from dldoctor.probes.behaviour.provoke import provoke
from dldoctor.probes.behaviour.stand_in import StandIn, config_of, experiment_loader, method_of
from dldoctor.probes.digest import digest, digests
from dldoctor.probes.frames import one_line
from dldoctor.probes.workers import describe_loader_error
from dldoctor.targets import Pipeline

ITEMS = 256
SECONDS = 5.0
"""Time that one run without workers may take; what was read by then is compared."""
EXAMPLES = 20
PIN = 999
EXCEPTION = "(exception)"
Read = tuple[int, int, dict[str, str]]
"""``(index, worker, path to digest)``"""


class PinnedItems(StandIn):
    """The user's items as digests, each read with random numbers that its index decides."""

    def __getitem__(self, index: int) -> Read:
        """Read one item."""
        self.note("getitem", index)
        kept = self._generators()
        try:
            sample = gens.pinned(1000 + index, kept, lambda: self._dldoctor_inner[index])
        except Exception as error:  # noqa: BLE001 - the user's code
            found = {EXCEPTION: one_line(error)}
        else:
            # A sample may say which worker made it; that is not another value of the data.
            own = {digest(self.worker), digest(os.getpid())}
            found = {
                path: mark for path, mark in digests(sample).items() if mark not in own or self.worker < 0
            }
        self.note("idle", index)
        return index, self.worker, found

    def _generators(self) -> dict[str, Any]:
        """Return the private generators, those included that a first read makes in each process."""
        state = vars(self)
        if state.get("_dldoctor_of") != os.getpid():
            first = self._dldoctor_settings["first"]
            with contextlib.suppress(Exception):  # the user's code; the item is read again and told then
                gens.pinned(PIN, {}, lambda: self._dldoctor_inner[first])
            kept = gens.private_generators([("dataset", self._dldoctor_inner)])
            state.update(_dldoctor_of=os.getpid(), _dldoctor_kept=kept)
        found: dict[str, Any] = state["_dldoctor_kept"]
        return found


def run(pipeline: Pipeline, session: Session) -> None:
    """Compare, and send."""
    spec = pipeline.spec
    if pipeline.torch_loader is None or pipeline.dataset is None or spec.kind != "map":
        session.missing("worker_data", "a stream has no index by which its random numbers could be pinned")
        return
    order = _order(pipeline, session)
    if not order:
        session.missing("worker_data", "the dataset has no item that could be read")
        return
    try:
        evidence = _compare(pipeline, session, order)
    except ApartDiedError as died:
        session.missing("worker_data", f"a process of the experiment ended with {died}")
        return
    session.evidence("worker_data", evidence)


def _order(pipeline: Pipeline, session: Session) -> list[int]:
    length = pipeline.spec.dataset_length or 0
    deadly = set(session.read_note("deadly") or [])
    asked = [index for index in session.limits.ids if 0 <= index < length]
    picked: Sequence[int] = asked or range(length)
    if not asked and length > ITEMS:
        picked = random.Random(5).sample(range(length), ITEMS)  # noqa: S311
    shuffled = [index for index in picked if str(index) not in deadly]
    random.Random(6).shuffle(shuffled)  # noqa: S311 - which items are compared is no secret
    return shuffled


def _compare(pipeline: Pipeline, session: Session, order: list[int]) -> WorkerDataEvidence:
    first = _by_index(apart(session, lambda: _without(pipeline, session, order)))
    order = [index for index in order if index in first]
    again = _by_index(apart(session, lambda: _without(pipeline, session, order)))
    unpinned = {path for i, (_, a) in first.items() if i in again for path in _differing(a, again[i][1])}
    workers = min(8, max(pipeline.spec.num_workers, (os.cpu_count() or 1) + 2, 4))
    method = method_of(pipeline)
    if method != "fork":
        workers = 2  # each starts an interpreter, which takes seconds
    found = apart(session, lambda: _with(pipeline, session, order, workers, method))
    if found["failed"]:
        return WorkerDataEvidence(len(order), workers, method, failed=found["failed"])
    several = _by_index(found["reads"])
    changed = _changed(first, several, unpinned)
    by_order = False
    if changed:
        backwards = _by_index(apart(session, lambda: _without(pipeline, session, order[::-1])))
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


def _without(pipeline: Pipeline, session: Session, order: list[int]) -> list[Read]:
    begin_epoch(pipeline, session, 0)
    items = PinnedItems(pipeline.dataset, config_of(session, "alone"), first=min(order))
    deadline = time.monotonic() + SECONDS
    found = []
    for index in order:
        found.append(items[index])
        if time.monotonic() > deadline:
            break
    return found


def _with(
    pipeline: Pipeline, session: Session, order: list[int], workers: int, method: str
) -> dict[str, Any]:
    begin_epoch(pipeline, session, 0)
    slowed = provoke(roots(pipeline)) if method == "fork" else ()
    items = PinnedItems(pipeline.dataset, config_of(session, "several"), first=min(order))
    batches = [order[start : start + 4] for start in range(0, len(order), 4)]
    loader = experiment_loader(pipeline, items, batches, workers=workers, method=method)
    reads: list[Read] = []
    try:
        for batch in loader:
            reads += batch
    except Exception as error:  # noqa: BLE001 - starting workers runs the user's code
        return {"failed": describe_loader_error(error)["error"], "reads": [], "provoked": []}
    return {"failed": None, "reads": reads, "provoked": slowed}


def _by_index(reads: list[Any]) -> dict[int, tuple[int, dict[str, str]]]:
    return {index: (worker, marks) for index, worker, marks in reads}


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
