"""Begins an epoch as the training loop does, by the user's hook or by the usual name, and reads epochs so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dldoctor.child.session import Session
from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.stand_in import StandIn, experiment_loader
from dldoctor.probes.workers import describe_loader_error
from dldoctor.targets import Pipeline
from dldoctor.targets.named_object import find_object

NONE = "none"
"""``--set-epoch none``: the training loop tells nobody which epoch it is."""


def begin_epoch(pipeline: Pipeline, session: Session, epoch: int) -> tuple[str, ...]:
    """Call what the training loop would call, and return what was called."""
    hook = attribute(session.intent, "set_epoch", None)
    if hook == NONE:
        return ()
    if hook:
        find_object(hook, option="--set-epoch", allow_script=session.request.target.allow_script)(
            pipeline.loader, epoch
        )
        return (hook,)
    called = []
    for path, owner in _owners(pipeline):
        owner.set_epoch(epoch)
        called.append(f"{path}.set_epoch")
    return tuple(called)


def _owners(pipeline: Pipeline) -> Iterator[tuple[str, Any]]:
    """Yield the objects that take ``set_epoch``; of a wrapper and what it wraps, only the wrapper."""
    state = vars(pipeline.torch_loader) if pipeline.torch_loader is not None else {}
    places = [("loader", pipeline.loader)]
    places += [(name, state.get(name)) for name in ("batch_sampler", "sampler")]
    places += [("batch_sampler.sampler", attribute(state.get("batch_sampler"), "sampler", None))]
    # The dataset as the probe knows it: the loader may hold a stand-in by now.
    dataset, path = pipeline.dataset, "dataset"
    while dataset is not None:
        places.append((path, dataset))
        inner = attribute(dataset, "__dict__", {}).get("dataset")
        dataset, path = inner, f"{path}.dataset"
    seen: list[Any] = []
    for path, owner in places:
        if owner is None or any(owner is one for one in seen):
            continue
        seen.append(owner)
        if callable(attribute(type(owner), "set_epoch", None)):
            yield path, owner


def read_epochs(
    pipeline: Pipeline, session: Session, stand_in: StandIn, *, workers: int, method: str | None, epochs: int
) -> list[list[dict[str, Any]]]:
    """Return the one record that each worker gives in each epoch; one that tells the error where they cannot start."""
    loader = experiment_loader(
        pipeline,
        stand_in,
        [[number] for number in range(workers)],
        workers=workers,
        method=method,
        persistent=pipeline.spec.persistent_workers,
    )
    found = []
    try:
        for epoch in range(epochs):
            begin_epoch(pipeline, session, epoch)
            found.append([batch[0] for batch in loader])
    except Exception as error:  # noqa: BLE001 - starting workers runs the user's code
        return [[{"failed": describe_loader_error(error)["error"], "worker": -1}]]
    return found
