"""Reads and collates samples in this process, as a worker would, for the passes that look for who keeps memory."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.foreign import has
from dldoctor.probes.index import plain_index
from dldoctor.targets import Pipeline

MAX_SAMPLES = 4000


def fetches(pipeline: Pipeline, session: Session | None = None, most: int = MAX_SAMPLES) -> Iterator[int]:
    """Read and collate batches as a worker would, the first `most` samples again and again; yield their numbers."""
    inner = pipeline.torch_loader
    assert inner is not None
    attributes = vars(inner)
    dataset, collate = attributes["dataset"], attributes["collate_fn"]
    while True:
        count = 0
        for samples in _batches(pipeline, dataset, session, most):
            count += 1
            with contextlib.suppress(Exception):  # the loader's evidence has what the user's code raises
                collate(samples)
            yield len(samples) if isinstance(samples, list) else 1
        if not count:
            return


def _batches(pipeline: Pipeline, dataset: Any, session: Session | None, most: int) -> Iterator[Any]:
    attributes = vars(pipeline.torch_loader)
    size = attributes.get("batch_size") or 8
    if pipeline.spec.kind == "iterable":
        stream = islice(dataset, most)
        while samples := list(islice(stream, size)):
            yield samples
        return
    if pipeline.asks is not None:
        yield from _as_asked(pipeline, dataset, session)
        return
    length = len(dataset) if has(type(dataset), "__len__") else MAX_SAMPLES
    length = min(length, most)
    for start in range(0, length, size):
        samples = []
        for index in range(start, min(start + size, length)):
            if session is not None:
                session.note("getitem", index)
            with contextlib.suppress(Exception):
                samples.append(dataset[index])
        yield samples


def _as_asked(pipeline: Pipeline, dataset: Any, session: Session | None) -> Iterator[Any]:
    """Read what the sampler asks for: a list of samples each time, or what the dataset makes of one key."""
    whole = vars(pipeline.torch_loader).get("batch_sampler") is not None
    drawn = vars(pipeline.torch_loader)["batch_sampler" if whole else "sampler"]
    for keys in drawn:
        if session is not None:
            session.note("getitem", plain_index(keys))
        with contextlib.suppress(Exception):
            yield [dataset[key] for key in keys] if whole else dataset[keys]


def read(fetch: Iterator[int], samples: int, deadline: float) -> int:
    """Take batches until so many samples were read or the time is up; return how many."""
    done = 0
    while done < samples and time.monotonic() < deadline:
        done += next(fetch, samples)
    return done
