"""Reads single items, random numbers pinned by the index, and notes the files that each one opens."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.child.session import Session
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.opened import opened_files
from dldoctor.probes.digest import pin
from dldoctor.targets import Pipeline

ITEMS = 128
SECONDS = 8.0
SEED = 303


@dataclass(frozen=True)
class Item:
    """One item as the dataset gave it."""

    id: SampleId
    sample: Any
    files: tuple[str, ...]
    """Files that were opened to read, in order."""


def items(pipeline: Pipeline, session: Session, *, seed: int = SEED, most: int = ITEMS) -> Iterator[Item]:
    """Yield items from all over the dataset, or the first of a stream, within a bound of time."""
    if pipeline.dataset is None or pipeline.asks is not None:
        return
    deadline = time.monotonic() + min(SECONDS, session.limits.time_budget_s or SECONDS)
    most = min(most, session.limits.samples or most)
    source = (
        _of_map(pipeline, session, seed, most) if pipeline.spec.kind == "map" else _of_stream(pipeline, most)
    )
    for item in source:
        if item is not None:
            yield item
        if session.stopping or time.monotonic() > deadline:
            return


def _of_map(pipeline: Pipeline, session: Session, seed: int, most: int) -> Iterator[Item | None]:
    length = pipeline.spec.dataset_length or 0
    deadly = set(session.read_note("deadly") or [])
    picked: Any = [one for one in session.limits.ids if 0 <= one < length] or range(length)
    if len(picked) > most:
        picked = sorted(random.Random(11).sample(range(length), most))  # noqa: S311 - no secret
    dataset: Any = pipeline.dataset
    for index in picked:
        if str(index) in deadly:
            continue
        session.note("getitem", index)
        pin(seed + index)
        with opened_files() as files:
            try:
                sample = dataset[index]
            except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
                yield None
                continue
        yield Item(index, sample, tuple(files))


def _of_stream(pipeline: Pipeline, most: int) -> Iterator[Item | None]:
    iterator = iter(pipeline.dataset)  # type: ignore[arg-type]  # a stream
    for number in range(most):
        with opened_files() as files:
            try:
                sample = next(iterator)
            except StopIteration:
                return
            except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
                return
        yield Item(StreamPosition(0, number), sample, tuple(files))
