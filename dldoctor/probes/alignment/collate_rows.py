"""Puts batches together by the user's collate and traces each row to the samples given to it.

Each sample is also collated alone: what it gives then is what it must give in a batch, up to padding.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import CollateTrace
from dldoctor.probes.alignment.given import SEED, Given, given_batches, read_one
from dldoctor.probes.alignment.read_together import TogetherSums
from dldoctor.probes.alignment.trace_sums import TraceSums
from dldoctor.probes.alignment.written_over import written_over
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.digest import pin
from dldoctor.probes.provenance.alone import given_alone
from dldoctor.probes.provenance.reordered import another_order
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

SECONDS = 15.0
"""Time for collating samples one by one; at least one batch is looked at."""

CHANGES = "a sample changes when another one is read (sample-overwritten), so no row can be traced to it"


def collate_rows(pipeline: Pipeline, session: Session) -> Any:
    """Return a `CollateTrace` as plain data; null where there is no collate to look at."""
    inner = pipeline.torch_loader
    if inner is None or pipeline.spec.kind == "batches":
        return None
    if vars(inner).get("batch_size") is None and vars(inner).get("batch_sampler") is None:
        return None  # what the dataset yields is not put together
    try:
        return apart(session, lambda: traced_here(pipeline, session))
    except ApartDiedError as died:
        return CollateTrace(0, 0, 0, 0, 0, unjudged=f"the process that collated ended with {died}")


def traced_here(pipeline: Pipeline, session: Session) -> CollateTrace:
    """Put batches together and trace their rows in this process."""
    import torch

    torch.set_num_threads(1)
    collate = vars(pipeline.torch_loader)["collate_fn"]
    together = TogetherSums(partial(read_one, pipeline, session))
    given = list(given_batches(pipeline, session, together))
    if given and written_over(pipeline, session, given[0].ids):
        return CollateTrace(0, 0, 0, 0, 0, unjudged=CHANGES)
    # All batches first: a collate that keeps state sees them as it does in the loader.
    batches = [_collated(collate, one.fresh(), session, one) for one in given]
    sums = TraceSums()
    deadline = time.monotonic() + min(SECONDS, session.limits.time_budget_s or SECONDS)
    for samples, batch in zip(given, batches, strict=True):
        if session.stopping or (sums.batches and time.monotonic() > deadline):
            break
        if batch is None:
            sums.failed(samples)
            continue
        alone = _alone(collate, session, samples)
        if not any(alone):
            order = another_order(len(samples.ids))
            shuffled = _collated(collate, [samples.one(at) for at in order], session, samples)
            sums.add_reordered(batch, shuffled, len(samples.ids))
        sums.add(samples, batch, alone)
        session.progress(batches=sums.batches)
    return replace(sums.result(), together=together.result())


def _alone(collate: Any, session: Session, given: Given) -> list[Mapping[str, Any] | None]:
    def collated(samples: list[Any]) -> Mapping[str, Any] | None:
        return _collated(collate, samples, session, given)

    return [given_alone(partial(given.one, at), collated) for at in range(len(given.ids))]


def _collated(collate: Any, samples: list[Any], session: Session, given: Given) -> Mapping[str, Any] | None:
    session.note("collate", given.ids[0] if given.ids else "")
    pin(SEED)
    try:
        return dict(leaves(collate(samples)))
    except Exception:  # noqa: BLE001 - the user's code; what fails on a whole batch, dry-run tells of
        return None
