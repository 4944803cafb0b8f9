"""Reads items as digests, random numbers pinned by the index, without workers and by several."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Sequence
from typing import Any

from dldoctor.child.session import Session
from dldoctor.probes.behaviour import generators as gens
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


def order_of(pipeline: Pipeline, session: Session) -> list[int]:
    """Return which items are compared, in the order in which they are read."""
    length = pipeline.spec.dataset_length or 0
    deadly = set(session.read_note("deadly") or [])
    asked = [index for index in session.limits.ids if 0 <= index < length]
    picked: Sequence[int] = asked or range(length)
    if not asked and length > ITEMS:
        picked = random.Random(5).sample(range(length), ITEMS)  # noqa: S311
    shuffled = [index for index in picked if str(index) not in deadly]
    random.Random(6).shuffle(shuffled)  # noqa: S311 - which items are compared is no secret
    return shuffled


def workers_for(pipeline: Pipeline) -> tuple[int, str]:
    """Return how many workers an experiment takes, and how they start."""
    method = method_of(pipeline)
    # Where each starts an interpreter, which takes seconds, two are enough.
    workers = max(pipeline.spec.num_workers, (os.cpu_count() or 1) + 2, 4)
    return (min(8, workers) if method == "fork" else 2), method


def read_alone(pipeline: Pipeline, session: Session, order: list[int]) -> list[Read]:
    """Read items in this process."""
    begin_epoch(pipeline, session, 0)
    items = PinnedItems(pipeline.dataset, config_of(session, "alone"), first=min(order))
    deadline = time.monotonic() + SECONDS
    found = []
    for index in order:
        found.append(items[index])
        if time.monotonic() > deadline:
            break
    return found


def read_by_workers(
    pipeline: Pipeline, session: Session, order: list[int], workers: int, method: str
) -> dict[str, Any]:
    """Read items in workers, with pauses in files that they share."""
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


def by_index(reads: list[Any]) -> dict[int, tuple[int, dict[str, str]]]:
    """Return worker and digests of each item."""
    return {index: (worker, marks) for index, worker, marks in reads}
