"""Probe ``start_methods``: what must travel to a worker, and whether each method starts one."""

from __future__ import annotations

import gc
import multiprocessing
import platform
import shutil
import time
from multiprocessing import util
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import StartMethodsEvidence, StartTrial
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.graph import Found, roots
from dldoctor.probes.behaviour.pickling import cost, costs, unpicklable
from dldoctor.probes.behaviour.stand_in import config_of
from dldoctor.probes.instrument import instrument
from dldoctor.probes.workers import describe_loader_error
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
    trials = [_trial(pipeline, session, method, pickled) for method in methods]
    session.evidence(
        "start_methods",
        StartMethodsEvidence(
            in_force=in_force,
            python=platform.python_version(),
            default=methods[0],
            **pickled,
            trials=tuple(trials),
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


def _trial(pipeline: Pipeline, session: Session, method: str, pickled: dict[str, Any]) -> StartTrial:
    if method != "fork" and pickled["unpicklable"]:
        first = pickled["unpicklable"][0]
        return StartTrial(method, "fails", f"`{first['path']}`: {first['error']}")
    if method != "fork" and 2 * pickled["size_bytes"] > SHM_SHARE * shutil.disk_usage("/tmp").free:  # noqa: S108
        return StartTrial(method, "skipped", "the dataset is too large to be copied for a trial")
    try:
        found = apart(session, lambda: _start(pipeline, session, method), patient_s=TRIAL_S)
    except ApartDiedError as died:
        return StartTrial(method, "fails", f"the process that started workers ended with {died}")
    return StartTrial(**found)


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
    try:
        batches = iter(loader)
        next(batches, None)
        took = time.perf_counter_ns() - start
    except Exception as error:  # noqa: BLE001 - the user's code
        if "DataLoader timed out" in str(error):
            return StartTrial(method, "skipped", f"no batch came within {TRIAL_S:.0f} s")
        return StartTrial(method, "fails", describe_loader_error(error)["error"])
    del batches
    gc.collect()
    # This process ends without its exit handlers; the semaphores of spawned workers would be left.
    util._run_finalizers()  # type: ignore[attr-defined]  # noqa: SLF001
    return StartTrial(method, "works", first_batch_ns=took)
