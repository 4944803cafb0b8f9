"""The same collate, traced where it runs in a worker: one that asks for its worker, or keeps state, may do otherwise there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import CollateTrace
from dldoctor.foreign import attribute, has
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.pinned_items import workers_for
from dldoctor.probes.behaviour.stand_in import StandIn, config_of, experiment_loader
from dldoctor.probes.frames import is_first_party
from dldoctor.targets import Pipeline

WORKERS = 2
Trace = Callable[[Pipeline, Session], CollateTrace]


class Traces(StandIn):
    """Each item is what a worker sees when it traces batches of its own."""

    def __getitem__(self, index: int) -> CollateTrace:
        """Trace in this process."""
        settings = self._dldoctor_settings
        trace: CollateTrace = settings["trace"](settings["pipeline"], settings["session"])
        return trace


def worker_rows(pipeline: Pipeline, session: Session, trace: Trace) -> Any:
    """Return the trace of the worker with the most wrong rows; null where the collate cannot differ there."""
    if not _is_users(vars(pipeline.torch_loader)["collate_fn"]) or workers_for(pipeline)[1] != "fork":
        return None
    try:
        return apart(session, lambda: _traced(pipeline, session, trace))
    except ApartDiedError:
        return None


def _traced(pipeline: Pipeline, session: Session, trace: Trace) -> CollateTrace | None:
    dataset = Traces(
        pipeline.dataset, config_of(session, "rows"), trace=trace, pipeline=pipeline, session=session
    )
    loader = experiment_loader(
        pipeline, dataset, [[number] for number in range(WORKERS)], workers=WORKERS, method="fork"
    )
    try:
        found: list[CollateTrace] = [one for batch in loader for one in batch]
    except Exception:  # noqa: BLE001 - the user's worker_init_fn; other commands tell of it
        return None
    return max(found, key=lambda one: one.wrong, default=None)


def _is_users(collate: Any) -> bool:
    """Whether the code is the user's own: a library's collate does the same everywhere."""
    function = attribute(collate, "func", collate)
    function = attribute(function, "__func__", function)
    if not has(function, "__code__"):
        function = vars(type(function)).get("__call__", function)
    code = attribute(function, "__code__", None)
    return code is not None and is_first_party(code.co_filename)
