"""One rank: make the target, run its epochs, and write down what it was given."""

from __future__ import annotations

from typing import Any

from dldoctor.child.channel import plain
from dldoctor.child.request import ChildRequest
from dldoctor.foreign import attribute
from dldoctor.probes.asks import with_asks
from dldoctor.probes.sharding import groups
from dldoctor.probes.sharding.announce import Announcer
from dldoctor.probes.sharding.map_rank import batches_of, draw_epochs
from dldoctor.probes.sharding.stream_rank import deliver_epochs
from dldoctor.probes.sharding.user_code import leave, pulse
from dldoctor.targets import Pipeline, named, resolve


def measure(job: dict[str, Any], request: ChildRequest) -> dict[str, Any]:
    """Return what this rank was given, as JSON."""
    if job["group"] != "none":
        groups.start(job["group"], job["rank"], job["world"], job["timeout_s"])
    pipeline = with_asks(resolve(request.target), request.staging)
    pulse(job)
    target = named(request.target)
    spec = plain(pipeline.spec)
    head = {"spec": spec, "torch": _torch_version()}
    leave(job["folder"], "made.json", head)
    if job["group"] == "none" and job["may_need_group"] and groups.asks_for_group(target):
        return {**head, "needs_group": True, "asked": True}
    head["sharded_by"] = list(groups.sharded_by(pipeline, target))
    if pipeline.torch_loader is None:
        return {**head, "outside": True}
    if job["workers"] is not None:
        _without_workers(pipeline)
    announcer = Announcer(pipeline, request.intent.set_epoch)
    head["announced"] = list(announcer.names)
    head["silent"] = announcer.silent
    if pipeline.spec.kind == "map":
        return {**head, **draw_epochs(job, request, pipeline, announcer)}
    return {**head, **deliver_epochs(job, request, pipeline, announcer)}


def _torch_version() -> str:
    import torch

    return str(torch.__version__)


def _without_workers(pipeline: Pipeline) -> None:
    """Let one process deliver everything that there is; this interpreter serves nothing else."""
    state = vars(pipeline.torch_loader)
    state.update(num_workers=0, prefetch_factor=None, persistent_workers=False, timeout=0, drop_last=False)
    batches = batches_of(state)
    if attribute(batches, "drop_last", None) is True:
        batches.drop_last = False
