"""Probe ``start_methods``: what must travel to a worker, and whether each method starts one."""

from __future__ import annotations

import gc
import multiprocessing
import platform
import shutil
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import util
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import StartMethodsEvidence, StartTrial
from dldoctor.probes.behaviour.apart import ApartDiedError, apart, apart_at_once
from dldoctor.probes.behaviour.graph import Found, roots
from dldoctor.probes.behaviour.overheard import Overheard
from dldoctor.probes.behaviour.pickling import cost, costs, unpicklable
from dldoctor.probes.behaviour.stand_in import config_of
from dldoctor.probes.instrument import instrument
from dldoctor.probes.workers import describe_loader_error, worker_is_gone
from dldoctor.targets import Pipeline

PARTS = 12
TRIAL_S = 60.0
"""Time for the first batch of a worker; a machine with too much to do says nothing about the method."""
SHM_SHARE = 0.5


def run(pipeline: Pipeline, session: Session) -> None:
    """Pickle, start, and send."""
    if pipeline.torch_loader is None:
        session.missing(
            "start_methods", "only the batches of this loader can be seen, not what its workers need"
        )
        return
    starts = [one for one in roots(pipeline) if one[0] in ("dataset", "collate_fn", "worker_init_fn")]
    in_force = pipeline.spec.start_method or "fork"
    methods = multiprocessing.get_all_start_methods()
    try:
        pickled = apart(session, lambda: _pickled(starts, session))
    except ApartDiedError as died:
        session.missing("start_methods", f"pickling ended the process with {died}")
        return
    trials = _trials(pipeline, session, methods, pickled)
    session.evidence(
        "start_methods",
        StartMethodsEvidence(
            in_force=in_force,
            python=platform.python_version(),
            default=methods[0],
            **pickled,
            trials=trials,
        ),
    )


def _pickled(starts: list[Found], session: Session) -> dict[str, Any]:
    session.note("pickle")
    leaves = unpicklable(starts)
    whole = [cost(value) for _, value in starts]
    return {
        "unpicklable": leaves,
        "parts": costs(starts)[:PARTS],
        "size_bytes": sum(size for size, _, _ in whole),
        "took_ns": sum(took for _, took, _ in whole),
    }


def _trials(
    pipeline: Pipeline, session: Session, methods: Sequence[str], pickled: dict[str, Any]
) -> tuple[StartTrial, ...]:
    """Try each method; those that import everything again do so side by side, as it is most of their time."""
    found = {method: trial for method in methods if (trial := _hopeless(method, pickled))}
    left = [method for method in methods if method not in found]
    for group in ([one for one in left if one == "fork"], [one for one in left if one != "fork"]):
        starts = [partial(_start, pipeline, session, method) for method in group]
        for method, one in zip(group, apart_at_once(session, starts, patient_s=TRIAL_S), strict=True):
            if isinstance(one, ApartDiedError):
                why = f"the process that started workers ended with {one}"
                found[method] = StartTrial(method, "fails", why)
            else:
                found[method] = StartTrial(**one)
    return tuple(found[method] for method in methods)


def _hopeless(method: str, pickled: dict[str, Any]) -> StartTrial | None:
    """Return why a method need not be tried."""
    if method != "fork" and pickled["unpicklable"]:
        first = pickled["unpicklable"][0]
        return StartTrial(method, "fails", f"`{first['path']}`: {first['error']}")
    if method != "fork" and 2 * pickled["size_bytes"] > SHM_SHARE * shutil.disk_usage("/tmp").free:  # noqa: S108
        return StartTrial(method, "skipped", "the dataset is too large to be copied for a trial")
    return None


def _start(pipeline: Pipeline, session: Session, method: str) -> StartTrial:
    """Start one worker for one batch, here."""
    import torch

    loader: Any = pipeline.torch_loader
    state: dict[str, Any] = vars(loader)
    config = config_of(session, method)
    instrument(pipeline, config)
    state.update(
        num_workers=1,
        prefetch_factor=2,
        persistent_workers=False,
        pin_memory=False,
        timeout=TRIAL_S,
        _DataLoader__multiprocessing_context=torch.multiprocessing.get_context(method),
    )
    session.note("start", method)
    start = time.perf_counter_ns()
    with Overheard() as heard:
        try:
            batches = iter(loader)
            next(batches, None)
            took = time.perf_counter_ns() - start
        except Exception as error:  # noqa: BLE001 - the user's code
            if "DataLoader timed out" in str(error):
                return StartTrial(method, "skipped", f"no batch came within {TRIAL_S:.0f} s")
            said = heard.said() if worker_is_gone(error) else ""
            told = f"; on standard error: {said}" if said else ""
            return StartTrial(method, "fails", describe_loader_error(error)["error"] + told)
    del batches
    gc.collect()
    # This process ends without its exit handlers; the semaphores of spawned workers would be left.
    util._run_finalizers()  # type: ignore[attr-defined]  # noqa: SLF001
    return StartTrial(method, "works", first_batch_ns=took)
