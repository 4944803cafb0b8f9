"""What a map-style loader asks for: the indices of each epoch, without reading any data."""

from __future__ import annotations

import hashlib
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from dldoctor.probes.asks import batch_of
from dldoctor.probes.instrument import iterates_plainly
from dldoctor.probes.sharding.seen import LARGEST, Seen
from dldoctor.probes.wrappers import SizedMap
from dldoctor.targets import Pipeline

CHUNK = 1 << 20
FIRST = 8


class NotIndicesError(Exception):
    """The sampler draws something else than numbers of items."""


@dataclass
class IndexEpoch:
    """One epoch as it was drawn."""

    seen: Seen
    items: int = 0
    batches: int = 0
    outside: int = 0
    tail: int = 0
    first: list[int] = field(default_factory=list)
    order: str = ""
    complete: bool = True
    elapsed_ns: int = 0
    workers: dict[int, dict[str, Any]] = field(default_factory=dict)
    kept: list[tuple[int, list[Any]]] = field(default_factory=list)
    """Number and indices of the batches that were asked for."""


class EchoMap(SizedMap):
    """Gives back the index itself: a loader of the user's own making runs without reading data."""

    def __getitem__(self, index: Any) -> Any:
        """Return the index."""
        return index


def echo(inner: Any) -> Any:
    """Return the stand-in for a dataset."""
    made = EchoMap.__new__(EchoMap)
    vars(made).update(_dldoctor_inner=inner, _dldoctor_config=None, _dldoctor_swallow=False)
    return made


def as_batch(samples: Any) -> Any:
    """Collate indices into what code that stands around a loader can handle: a tensor."""
    try:
        return torch.as_tensor(samples)
    except (TypeError, ValueError, RuntimeError):
        return samples


def index_batches(pipeline: Pipeline) -> Iterator[list[Any]]:
    """Yield the indices of each batch of one epoch, as the loader itself would draw them."""
    loader: Any = pipeline.torch_loader
    if iterates_plainly(pipeline):
        yield from _drawn(loader)
        return
    attributes = vars(loader)
    attributes.update(dataset=echo(pipeline.dataset), collate_fn=as_batch, num_workers=0)
    attributes.update(prefetch_factor=None, persistent_workers=False, pin_memory=False)
    for batch in pipeline.loader:
        yield _listed(batch)


def _drawn(loader: Any) -> Iterator[list[Any]]:
    attributes = vars(loader)
    sampler = attributes.get("batch_sampler")
    single = sampler is None
    drawn = iter(attributes["sampler"] if single else sampler)
    # The loader draws the seed of its workers here, before the sampler draws its own.
    torch.empty((), dtype=torch.int64).random_(generator=attributes.get("generator"))
    for batch in drawn:
        yield (batch_of(batch) or [batch]) if single else list(batch)


def _listed(batch: Any) -> list[Any]:
    if isinstance(batch, torch.Tensor):
        flat: list[Any] = batch.reshape(-1).tolist()
        return flat
    if isinstance(batch, (list, tuple)):
        return [one for part in batch for one in _listed(part)]
    return [batch]


def read_epoch(
    pipeline: Pipeline,
    size: int,
    translate: Callable[[array[int]], array[int]],
    go_on: Callable[[], bool],
    keep: Callable[[int], bool] | None = None,
) -> IndexEpoch:
    """Draw one epoch; `translate` turns positions in a subset into items of the whole."""
    started = time.perf_counter_ns()
    epoch = IndexEpoch(Seen(size))
    digest = hashlib.blake2b(digest_size=12)
    pending: array[int] = array("q")
    workers = max(1, pipeline.spec.num_workers)
    for number, batch in enumerate(index_batches(pipeline)):
        try:
            pending.extend(batch)
        except TypeError as error:
            raise NotIndicesError(type(batch[0]).__name__ if batch else "nothing") from error
        _count(epoch, number, number % workers, batch)
        if keep is not None and keep(number):
            epoch.kept.append((number, list(batch)))
        if len(pending) >= CHUNK:
            _flush(epoch, translate(pending), digest)
            pending = array("q")
        if not go_on():
            epoch.complete = False
            break
    _flush(epoch, translate(pending), digest)
    epoch.order = digest.hexdigest()
    epoch.elapsed_ns = time.perf_counter_ns() - started
    return epoch


def _count(epoch: IndexEpoch, number: int, worker: int, batch: list[Any]) -> None:
    epoch.items += len(batch)
    epoch.batches = number + 1
    epoch.tail = len(batch)
    own = epoch.workers.setdefault(worker, {"items": 0, "batches": 0, "tail": 0, "first": []})
    own["items"] += len(batch)
    own["batches"] += 1
    own["tail"] = len(batch)
    if len(own["first"]) < 4:
        own["first"] += batch[: 4 - len(own["first"])]


def _flush(epoch: IndexEpoch, chunk: array[int], digest: Any) -> None:
    digest.update(chunk.tobytes())
    if len(epoch.first) < FIRST:
        epoch.first += chunk[: FIRST - len(epoch.first)].tolist()
    epoch.outside += epoch.seen.add(chunk)


@dataclass(frozen=True)
class Numbering:
    """How the positions that a sampler draws name items of the innermost dataset."""

    size: int
    """Items of the innermost dataset."""
    split: array[int] | None
    """Items of a subset, by position; null where there is none."""

    def translate(self, positions: array[int]) -> array[int]:
        """Return the items at some positions."""
        if self.split is None:
            return positions
        known = len(self.split)
        return array("q", [self.split[p] if 0 <= p < known else -1 for p in positions])


def numbering(dataset: Any) -> Numbering | None:
    """Look through subsets to the dataset that they were cut from; null where it has no fixed size."""
    from torch.utils.data import Subset

    split: list[int] | None = None
    try:
        while type(dataset) is Subset:
            own = [int(index) for index in dataset.indices]
            split = own if split is None else [own[position] for position in split]
            dataset = dataset.dataset
        size = len(dataset)
    except Exception:  # noqa: BLE001 - the user's `__len__` and indices
        return None
    if size > LARGEST:
        return None
    return Numbering(size, None if split is None else array("q", split))
