"""Probe ``copies``: what the main process changes between epochs, against what its workers see."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from torch.utils.data import IterableDataset

from dldoctor.child.session import Session
from dldoctor.evidence.workers import CopiesEvidence, Travel
from dldoctor.foreign import attribute
from dldoctor.probes.asks import keys_of
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.epochs import NONE, begin_epoch
from dldoctor.probes.behaviour.graph import parts
from dldoctor.probes.behaviour.stand_in import StandIn, as_they_are, config_of
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.index import plain_index
from dldoctor.probes.workers import describe_loader_error
from dldoctor.targets import Pipeline

EPOCHS = 3
BATCHES = 2
ATTRIBUTES = 400
PIN = 31
FEW = 8
"""Numbers of a list or of an array that are read; mixing weights are few, an index is long."""
ABSENT = "unset"
COMPARED = 8
"""Items that are read to see whether the epoch matters."""


def state_of(dataset: Any) -> dict[str, str]:
    """Return the plain attributes of a dataset and of what it holds, as texts."""
    found: dict[str, str] = {}
    waiting, seen = [("dataset", dataset, 0)], set()
    while waiting and len(found) < ATTRIBUTES:
        path, value, depth = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        # Sources and steps that are held in a list are few; a long list holds samples.
        for step, inner in parts(value)[: FEW if isinstance(value, (list, tuple)) else None]:
            text = _plain(inner)
            if text is not None:
                found.setdefault(path + step, text)
            elif depth < 4:
                waiting.append((path + step, inner, depth + 1))
    return found


def _plain(value: Any) -> str | None:
    if value is None or isinstance(value, (int, float, str, bool)):
        return repr(value)[:60]
    shared = sys.modules.get("multiprocessing.sharedctypes")
    if shared is not None and isinstance(value, shared.Synchronized):
        return repr(value.value)[:60]
    if isinstance(value, (list, tuple)) and value and len(value) <= FEW:
        plain = all(item is None or isinstance(item, (int, float, str)) for item in value)
        return f"[{', '.join(repr(item)[:60] for item in value)}]" if plain else None
    torch = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        small = value.device.type == "cpu" and 1 <= value.numel() <= FEW and value.layout == torch.strided
        return repr(value.tolist() if value.numel() > 1 else value.item()) if small else "tensor"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return repr(value.tolist()) if value.size <= FEW and value.dtype.kind in "biuf" else "array"
    return None


class Seen(StandIn):
    """Items of a dataset replaced by what the worker knows when it reads them."""

    def __getitem__(self, index: Any) -> dict[str, str]:
        """Read the item, since a first read may change what is known; return the state."""
        self.note("getitem", index)
        self._dldoctor_inner[index]
        return state_of(self._dldoctor_inner)

    def __len__(self) -> int:
        return len(self._dldoctor_inner)


class SeenStream(StandIn, IterableDataset[Any]):
    """Samples of a stream replaced by what the worker knows when it reads them."""

    def __iter__(self) -> Iterator[dict[str, str]]:
        """Read on, and yield the state each time."""
        for ordinal, _ in enumerate(iter(self._dldoctor_inner)):
            self.note("iter", ordinal)
            yield state_of(self._dldoctor_inner)


def run(pipeline: Pipeline, session: Session) -> None:
    """Run three epochs as the loader is set, and send what travelled."""
    spec = pipeline.spec
    if pipeline.torch_loader is None or pipeline.dataset is None:
        session.missing("copies", "only the batches of this loader can be seen, not its dataset")
        return
    if spec.num_workers == 0:
        session.missing("copies", "without workers there is no copy that could become stale")
        return
    if attribute(session.intent, "set_epoch", None) == NONE:
        session.missing("copies", "--set-epoch none: nothing is changed between epochs")
        return
    try:
        found = apart(session, lambda: _epochs(pipeline, session))
        matters = bool(found["travels"]) and _matters(pipeline, session)
    except ApartDiedError as died:
        session.missing("copies", f"the experiment ended with {died}")
        return
    session.evidence(
        "copies",
        CopiesEvidence(
            epochs=EPOCHS,
            workers=spec.num_workers,
            persistent=spec.persistent_workers,
            called=tuple(found["called"]),
            travels=tuple(
                Travel(one["path"], tuple(one["parent"]), tuple(one["workers"])) for one in found["travels"]
            ),
            matters=matters,
            failed=found["failed"],
        ),
    )


def _epochs(pipeline: Pipeline, session: Session) -> dict[str, Any]:
    stream = pipeline.spec.kind != "map"
    state: dict[str, Any] = vars(pipeline.torch_loader)
    config = config_of(session, "copies")
    dataset = pipeline.dataset
    stand_in: Any = SeenStream(dataset, config) if stream else Seen(dataset, config)
    state.update(dataset=stand_in, collate_fn=as_they_are, pin_memory=False)
    called: tuple[str, ...] = ()
    parent: list[dict[str, str]] = []
    workers: list[dict[str, str]] = []
    try:
        for epoch in range(EPOCHS):
            called = begin_epoch(pipeline, session, epoch)
            for number, batch in enumerate(pipeline.torch_loader):  # type: ignore[arg-type]
                if number == 0:
                    parent.append(state_of(dataset))
                    workers.append(batch[0] if isinstance(batch, list) else batch)
                if number + 1 >= BATCHES:
                    break
    except Exception as error:  # noqa: BLE001 - the user's code
        return {"called": called, "travels": [], "failed": describe_loader_error(error)["error"]}
    return {"called": called, "travels": list(_travels(parent, workers)), "failed": None}


def _travels(parent: list[dict[str, str]], workers: list[dict[str, str]]) -> Iterator[Travel]:
    if len(parent) < EPOCHS:
        return
    for path in dict.fromkeys(path for state in parent for path in state):
        here = tuple(state.get(path, ABSENT) for state in parent)
        if len(set(here)) > 1:
            yield Travel(path, here, tuple(state.get(path, ABSENT) for state in workers))


def _matters(pipeline: Pipeline, session: Session) -> bool:
    """Whether items are others once the epoch has moved on, each time read in a fresh process."""
    first, last = (
        apart(session, functools.partial(_items, pipeline, session, epoch)) for epoch in (0, EPOCHS - 1)
    )
    return bool(first != last)


def _items(pipeline: Pipeline, session: Session, epoch: int) -> list[dict[str, str]]:
    dataset: Any = pipeline.dataset
    pin(PIN)
    begin_epoch(pipeline, session, epoch)
    if pipeline.spec.kind != "map":
        return [digests(sample) for _, sample in zip(range(COMPARED), dataset, strict=False)]
    sampler = vars(pipeline.torch_loader).get("batch_sampler")
    for _ in range(epoch + 1):  # a sampler may be what sets the epoch
        if sampler is not None:
            next(iter(sampler), None)
    found = []
    pin(PIN)
    keys: Any = range(min(COMPARED, pipeline.spec.dataset_length or 0))
    if pipeline.asks is not None:
        keys = list(islice(keys_of(pipeline.torch_loader), COMPARED))
        pin(PIN)
    for key in keys:
        session.note("getitem", plain_index(key))
        found.append(digests(dataset[key]))
    return found
