"""Which samples are read for the rows to look at, batch by batch."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.opened import opened_files
from dldoctor.probes.alignment.rows.suspects import noted_suspects
from dldoctor.probes.asks import keys_of
from dldoctor.probes.digest import pin
from dldoctor.probes.index import plain_index
from dldoctor.targets import Pipeline

SEED = 101
SPREAD = 11
LARGEST = 16
SECONDS = 20.0
STREAMED = 512
"""So far into a stream samples are looked for."""


@dataclass(frozen=True)
class ReadBatch:
    """Samples as the collate is given them; `suspects` are those that the evidence names."""

    items: tuple[Item, ...]
    suspects: frozenset[SampleId]


def read_batches(pipeline: Pipeline, session: Session, size: int, wanted: int) -> Iterator[ReadBatch]:
    """Yield batches of so many samples in all: suspects first, then some from all over the dataset."""
    groups = noted_suspects(session)
    suspects = frozenset(one for group in groups for one in group)
    size = min(LARGEST, max(1, size), wanted)
    deadline = time.monotonic() + min(SECONDS, session.limits.time_budget_s or SECONDS)
    source = (
        _of_map(pipeline, session, groups, size, wanted)
        if pipeline.spec.kind == "map"
        else _of_stream(pipeline, session, suspects, size, wanted)
    )
    for items in source:
        if items:
            yield ReadBatch(tuple(items), suspects)
        if session.stopping or time.monotonic() > deadline:
            return


def batches_of(
    groups: Sequence[Sequence[SampleId]], others: Sequence[SampleId], size: int, wanted: int
) -> list[list[SampleId]]:
    """Return the batches to read; the first group keeps its samples together and in order."""
    chosen, seen = list[list[SampleId]](), set[SampleId]()
    left = wanted
    first = [list(dict.fromkeys(groups[0]))] if groups and len(groups[0]) > 1 else []
    rest = [one for group in groups[len(first) :] for one in group]
    plain = [one for one in dict.fromkeys([*rest, *others]) if not first or one not in first[0]]
    for batch in (*first, *(plain[at : at + size] for at in range(0, len(plain), size))):
        new = [one for one in batch if one not in seen][:left]
        seen.update(new)
        left -= len(new)
        if new:
            chosen.append(new)
    return chosen


def _of_map(
    pipeline: Pipeline, session: Session, groups: list[list[SampleId]], size: int, wanted: int
) -> Iterator[list[Item]]:
    if pipeline.asks is not None:
        yield from _as_asked(pipeline, session, wanted)
        return
    length = pipeline.spec.dataset_length or 0
    ids = [one for one in session.limits.ids if -length <= one < length or not length]
    if ids:
        plan = batches_of([], ids, size, wanted)
    else:
        spread = random.Random(_seed(session, SPREAD))  # noqa: S311 - which samples are shown is no secret
        others = sorted(spread.sample(range(length), min(length, wanted)))
        plan = batches_of(groups, others, size, wanted)
    deadly = set(session.read_note("deadly") or [])
    dataset: Any = pipeline.dataset
    for batch in plan:
        items = []
        for index in batch:
            if str(index) in deadly or not isinstance(index, int):
                continue
            session.note("getitem", index)
            pin(_seed(session, SEED) + index)
            with opened_files() as files:
                try:
                    sample = dataset[index]
                except Exception:  # noqa: BLE001, S112 - the user's code; dry-run tells of it
                    continue
            items.append(Item(index, sample, tuple(files)))
        yield items


def _as_asked(pipeline: Pipeline, session: Session, wanted: int) -> Iterator[list[Item]]:
    """Yield what the dataset makes of the first keys of the sampler, which are no indices."""
    dataset: Any = pipeline.dataset
    for key in islice(keys_of(pipeline.torch_loader), wanted):
        session.note("getitem", plain_index(key))
        pin(_seed(session, SEED))
        with opened_files() as files:
            try:
                sample = dataset[key]
            except Exception:  # noqa: BLE001, S112 - the user's code; dry-run tells of it
                continue
        yield [Item(plain_index(key), sample, tuple(files))]


def _of_stream(
    pipeline: Pipeline, session: Session, suspects: frozenset[SampleId], size: int, wanted: int
) -> Iterator[list[Item]]:
    named = {one.ordinal for one in suspects if isinstance(one, StreamPosition) and one.ordinal < STREAMED}
    pin(_seed(session, SEED))
    iterator = iter(pipeline.dataset)  # type: ignore[arg-type]  # a stream
    batch, number, given = list[Item](), 0, 0
    while given < wanted and number < max(STREAMED, wanted):
        session.note("getitem", number)
        with opened_files() as files:
            try:
                sample = next(iterator)
            except StopIteration:
                break
            except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
                break
        batch.append(Item(StreamPosition(0, number), sample, tuple(files)))
        number += 1
        if len(batch) == size:
            later = sum(one >= number for one in named)
            if named & set(range(number - size, number)) or given + size + min(later, wanted // 2) <= wanted:
                given += len(batch)
                yield batch
            batch = []
        if given and number > max(named, default=0) and given >= wanted:
            return
    if batch and given < wanted:
        yield batch[: wanted - given]


def _seed(session: Session, otherwise: int) -> int:
    return otherwise if session.limits.seed is None else session.limits.seed
