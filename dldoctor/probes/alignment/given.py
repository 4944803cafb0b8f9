"""The samples of a few batches, as the loader would give them to the collate, fresh each time."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from torch.utils.data import DataLoader

from dldoctor.child.session import Session
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.foreign import attribute
from dldoctor.probes.alignment.read_together import TogetherSums, read_together, reads_together
from dldoctor.probes.digest import pin
from dldoctor.probes.index import plain_index
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

BATCHES = 6
LARGEST = 16
"""Samples of one batch: each is collated alone, and compared with each row."""
SECONDS = 8.0
MOST_BYTES = 256 * 2**20
SEED = 101


@dataclass(frozen=True)
class Given:
    """What the collate is given for one batch."""

    ids: tuple[SampleId, ...]
    fresh: Callable[[], list[Any]]
    """Returns the samples as they were before any collate had them."""
    one: Callable[[int], Any]
    """Returns the sample at a position in the same way."""
    lacking: frozenset[int]
    """Positions of samples without a part that others have."""


def given_batches(
    pipeline: Pipeline, session: Session, together: TogetherSums | None = None
) -> Iterator[Given]:
    """Yield batches of samples until there are enough, or the time or the memory for them is spent."""
    deadline, room = time.monotonic() + SECONDS, MOST_BYTES
    source = _of_map(pipeline, session, together) if pipeline.spec.kind == "map" else _of_stream(pipeline)
    most = session.limits.batches or BATCHES
    for ids, samples, again in islice(source, most):
        if samples:
            room -= sum(_bytes(leaf) for sample in samples for _, leaf in leaves(sample))
            yield Given(ids, *_keepers(samples, again), lacking_in(samples))
        if session.stopping or time.monotonic() > deadline or room < 0:
            return


def _of_map(
    pipeline: Pipeline, session: Session, together: TogetherSums | None
) -> Iterator[tuple[tuple[SampleId, ...], list[Any], Any]]:
    deadly = set(session.read_note("deadly") or [])
    for indices in _indices(pipeline, session):
        wanted = [index for index in indices if str(index) not in deadly]
        kept, samples = _samples(pipeline, session, wanted)
        if together is not None and samples and reads_together(pipeline):
            together.add(kept, samples)

        def again(kept: Sequence[Any] = tuple(kept)) -> list[Any]:
            return _samples(pipeline, session, kept)[1]

        yield tuple(_id(index) for index in kept), samples, again


def _samples(pipeline: Pipeline, session: Session, indices: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the indices that could be read, and their samples, as the loader reads them."""
    if indices and reads_together(pipeline):
        found = read_together(pipeline, session, indices, SEED)
        if found is not None:
            return list(indices), found
    read = [(index, one[0]) for index in indices if (one := read_one(pipeline, session, index)) is not None]
    return [index for index, _ in read], [sample for _, sample in read]


def read_one(pipeline: Pipeline, session: Session, index: Any, more: int = 0) -> tuple[Any] | None:
    """Return one sample by its index, in a tuple; None where it could not be read. `more` moves the seed."""
    session.note("getitem", plain_index(index))
    pin(SEED + more + (index if isinstance(index, int) else 0))
    try:
        return (pipeline.dataset[index],)  # type: ignore[index]  # a dataset with indices
    except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
        return None


def _id(index: Any) -> SampleId:
    plain = plain_index(index)
    return plain if isinstance(plain, (int, str)) else str(plain)


def _indices(pipeline: Pipeline, session: Session) -> Iterator[list[Any]]:
    """Yield the loader's own batches and others from all over the dataset, in turns."""
    inner = vars(pipeline.torch_loader)
    size = min(LARGEST, max(2, pipeline.spec.batch_size or 8))
    if session.limits.ids and pipeline.asks is None:
        chosen = list(session.limits.ids)
        yield from (chosen[at : at + size] for at in range(0, len(chosen), size))
        return
    own = iter(inner["batch_sampler"]) if inner.get("batch_sampler") is not None else None
    # A dataset sorted by class gives batches of one class, whose labels tell nothing.
    spread = random.Random(7)  # noqa: S311 - which samples are looked at is no secret
    plain = type(inner.get("batch_sampler")).__module__.startswith("torch.utils.data")
    length = pipeline.spec.dataset_length or 0
    while True:
        batch = next(own, None) if own is not None else None
        if batch is not None:
            yield list(batch)[:LARGEST]
        if length > size and (plain or own is None) and pipeline.asks is None:
            yield spread.sample(range(length), size)
        elif batch is None:
            return


def _of_stream(pipeline: Pipeline) -> Iterator[tuple[tuple[SampleId, ...], list[Any], Any]]:
    size = min(LARGEST, max(2, pipeline.spec.batch_size or 8))
    read = 0
    loader: Any = DataLoader(pipeline.dataset, batch_size=size, collate_fn=list)  # type: ignore[arg-type]
    iterator = iter(loader)
    while True:
        try:
            samples = next(iterator)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
            return
        yield tuple(StreamPosition(0, read + at) for at in range(len(samples))), samples, None
        read += len(samples)


def _keepers(samples: list[Any], again: Any) -> tuple[Callable[[], list[Any]], Callable[[int], Any]]:
    """Return what gives the samples anew: copies, or a second reading of what can't be copied."""
    try:
        copy.deepcopy(samples)
    except Exception:  # noqa: BLE001 - the user's objects
        read: Callable[[], list[Any]] = again if again is not None else lambda: list(samples)
        return read, lambda at: read()[at]
    return lambda: copy.deepcopy(samples), lambda at: copy.deepcopy(samples[at])


def _bytes(leaf: Any) -> int:
    found = attribute(leaf, "nbytes", 0)
    return found if isinstance(found, int) else 0


def lacking_in(samples: Sequence[Any]) -> frozenset[int]:
    """Return the samples in which a part is None, empty or not there, that other samples have."""
    parts = [{path for path, leaf in leaves(sample) if not _is_empty(leaf)} for sample in samples]
    every = set[str]().union(*parts)
    return frozenset(at for at, have in enumerate(parts) if have < every)


def _is_empty(leaf: Any) -> bool:
    if leaf is None:
        return True
    try:
        return len(leaf) == 0
    except Exception:  # noqa: BLE001 - numbers and the user's objects have no length
        return False
