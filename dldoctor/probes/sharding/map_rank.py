"""One rank of a map-style loader: the indices that it draws in each epoch, and two trials beforehand."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from dldoctor.child.request import ChildRequest
from dldoctor.probes.sharding.announce import Announcer
from dldoctor.probes.sharding.user_code import UserFailedError, in_fork, pulse, users
from dldoctor.targets import Pipeline

PEEKED = 64
"""Indices of an epoch that are drawn to learn whether its order changes without `set_epoch`."""


def draw_epochs(
    job: dict[str, Any], request: ChildRequest, pipeline: Pipeline, announcer: Announcer
) -> dict[str, Any]:
    """Return what this rank draws, as JSON."""
    from dldoctor.probes.sharding import indices
    from dldoctor.probes.sharding.content import read_content
    from dldoctor.probes.sharding.draws import read_draws
    from dldoctor.probes.sharding.mix import read_batches, wanted_steps
    from dldoctor.probes.sharding.seen import Seen
    from dldoctor.probes.sharding.stream_rank import declared_kinds

    numbered = indices.numbering(pipeline.dataset)
    if numbered is None:
        return {"unnumbered": "the dataset has no usable length"}
    found: dict[str, Any] = {"kind": "map", "size": numbered.size, "epochs": []}
    if numbered.split is not None:
        whole = Seen(numbered.size)
        whole.add(numbered.split)
        _keep(job, "split", whole)
        found["split_size"] = len(numbered.split)
    found["stock"] = _stock(pipeline)
    by_index = pipeline.asks is None  # a dataset that is asked for lists need not take one number
    if job["draws"] and by_index:
        found["draws"] = in_fork(request, lambda: read_draws(pipeline, job["folder"]))
    if job["peek"] and announcer.names:
        found["unannounced"] = in_fork(request, lambda: _peek(pipeline, job["epochs"]))
    go_on = _budget(job)
    keep = wanted_steps(_batches(pipeline))
    kept: list[tuple[int, list[Any]]] = []
    for number in range(job["epochs"]):
        try:
            users(lambda epoch=number: announcer.epoch(epoch))  # type: ignore[misc]
            wanted = keep if number == 0 else None
            epoch = users(
                lambda wanted=wanted: indices.read_epoch(  # type: ignore[misc]
                    pipeline, numbered.size, numbered.translate, go_on, wanted
                )
            )
        except UserFailedError as error:
            if isinstance(error.__cause__, indices.NotIndicesError):
                return {"unnumbered": f"the sampler draws {error.__cause__} instead of indices"}
            raise
        pulse(job)
        _keep(job, f"seen-{number}", epoch.seen)
        kept += epoch.kept
        found["epochs"].append(
            {
                "epoch": number, "items": epoch.items, "batches": epoch.batches, "tail": epoch.tail,
                "outside": epoch.outside, "first": epoch.first, "order": epoch.order,
                "complete": epoch.complete, "elapsed_ns": epoch.elapsed_ns,
                "workers": {str(worker): own for worker, own in epoch.workers.items()},
                "drawn": _drawn(pipeline),
            }
        )  # fmt: skip
    found["epoch_taken"] = [name for name in announcer.taken if "sampler" in name]
    if job["mix"] and by_index and job["world"] > 1 and numbered.split is None:
        dataset = vars(pipeline.torch_loader)["dataset"]
        found["content"] = in_fork(request, lambda: read_content(dataset, numbered.size, lambda: pulse(job)))
    if job["mix"] and by_index and kept:
        in_fork(
            request,
            lambda: read_batches(pipeline, job["folder"], kept, declared_kinds(request), lambda: pulse(job)),
        )
    return found


def _batches(pipeline: Pipeline) -> int | None:
    try:
        return len(pipeline.loader)
    except Exception:  # noqa: BLE001 - the user's own `__len__`
        return None


def _drawn(pipeline: Pipeline) -> int | None:
    """Return how many items are drawn for batches of which the last is dropped; null where none is."""
    from torch.utils.data import BatchSampler

    batch_sampler = batches_of(vars(pipeline.torch_loader))
    if type(batch_sampler) is not BatchSampler or not batch_sampler.drop_last:
        return None
    try:
        return len(batch_sampler.sampler)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - the user's own `__len__`
        return None


def batches_of(state: dict[str, Any]) -> Any:
    """Return what draws the batches of a loader: with `batch_size=None` torch's batch sampler may be its sampler."""
    from torch.utils.data import BatchSampler

    given, sampler = state.get("batch_sampler"), state.get("sampler")
    return sampler if given is None and isinstance(sampler, BatchSampler) else given


def _stock(pipeline: Pipeline) -> dict[str, Any] | None:
    """Return the settings of torch's own distributed sampler, where nothing else decides the order."""
    from torch.utils.data import BatchSampler, DistributedSampler

    from dldoctor.probes.instrument import iterates_plainly

    state = vars(pipeline.torch_loader)
    batch_sampler = state.get("batch_sampler")
    sampler = state.get("sampler") if batch_sampler is None else getattr(batch_sampler, "sampler", None)
    plain_batches = batch_sampler is None or type(batch_sampler) is BatchSampler
    if not plain_batches or type(sampler) is not DistributedSampler or not iterates_plainly(pipeline):
        return None
    return {
        "length": len(pipeline.dataset),  # type: ignore[arg-type]
        "replicas": sampler.num_replicas,
        "rank": sampler.rank,
        "shuffle": sampler.shuffle,
        "seed": sampler.seed,
        "drop_last": sampler.drop_last,
        "batch_size": 1 if batch_sampler is None else batch_sampler.batch_size,
        "batch_drop_last": batch_sampler is not None and batch_sampler.drop_last,
    }


def _peek(pipeline: Pipeline, epochs: int) -> list[list[Any]]:
    from dldoctor.probes.sharding.indices import index_batches

    found = []
    for _ in range(max(2, epochs)):
        first: list[Any] = []
        for batch in index_batches(pipeline):
            first += batch
            if len(first) >= PEEKED:
                break
        found.append(first[:PEEKED])
    return found


def _budget(job: dict[str, Any]) -> Callable[[], bool]:
    started = time.monotonic()

    def go_on() -> bool:
        pulse(job)
        return bool(time.monotonic() - started < job["seconds"])

    return go_on


def _keep(job: dict[str, Any], name: str, seen: Any) -> None:
    with open(os.path.join(job["folder"], name), "wb") as file:
        file.write(bytes(seen.once) + bytes(seen.more))
