"""Runs an instrumented loader and hands each batch, with what its worker noted of it, to a collector."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dldoctor.child.session import Session
from dldoctor.finding import SampleId
from dldoctor.probes.index import sample_id
from dldoctor.probes.record import BatchRecord, Unpacker
from dldoctor.probes.watch import WatchConfig, watch_of
from dldoctor.probes.wrappers import AWAY, Envelope
from dldoctor.targets import Pipeline

ERRORS_IN_A_ROW = 20


class Collector(Protocol):
    """What takes the batches."""

    batches: int
    samples: int

    @property
    def full(self) -> bool:
        """Whether it keeps no more."""


@dataclass(frozen=True)
class NotedBatch:
    """One batch as it came."""

    batch: Any
    """None where the collate raised."""
    record: BatchRecord | None
    """None where the loader could not be instrumented."""
    note: Any
    samples: tuple[SampleId, ...]


@dataclass(frozen=True)
class Extent:
    """How much is read where the user says nothing."""

    batches: int
    seconds: float
    epochs: int = 1
    prefix: str = ""
    """Before the reasons why reading ended, where several probes read in one run."""


def uninstrumented(pipeline: Pipeline) -> Pipeline:
    """Keep the user's own dataset and collate, for questions that need no watching."""
    inner = pipeline.torch_loader
    return pipeline if inner is None else replace(pipeline, torch_loader=copy.copy(inner))


def read_noted(
    pipeline: Pipeline,
    session: Session,
    collector: Collector,
    config: WatchConfig,
    extent: Extent,
    *,
    form: str,
    parted: Callable[[bytes], tuple[bytes, Any]],
    take: Callable[[NotedBatch], None],
) -> None:
    """Iterate until the loader ends or enough was read.

    `form` is of `dldoctor.probes.instrument`; `parted` takes a record and its note apart; `take`
    gets each batch that the collator of the loader made or refused, and none of which a sample raised.
    """
    unpacker, spent, errors = Unpacker(), _Spent(session, collector, extent), 0
    for epoch in range(extent.epochs):
        session.note("iter" if epoch else "start")
        iterator = iter(pipeline.loader)
        while errors < ERRORS_IN_A_ROW and not spent():
            watch_of(config).note("next")
            try:
                batch = next(iterator)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - the user's code; dry-run tells more of it
                errors += 1
                if "exited unexpectedly" in str(error) or errors == ERRORS_IN_A_ROW:
                    session.cut(f"the loader raised {type(error).__name__}; `dldoctor dry-run` looks into it")
                    break
                continue
            if (noted := _noted(batch, pipeline, form, unpacker, parted)) is not None:
                take(noted)
            session.progress(batches=collector.batches, planned=spent.most, samples=collector.samples)
        watch_of(config).note("shutdown")
        del iterator
        gc.collect()
        if reason := spent():
            session.cut(reason)
            break


class _Spent:
    """Says why no more is to be read, once that is so."""

    def __init__(self, session: Session, collector: Collector, extent: Extent) -> None:
        limits = session.limits
        undeclared = limits.batches is None and limits.samples is None and not limits.ids
        self.most = limits.batches if not undeclared or limits.time_budget_s else extent.batches
        self._seconds = limits.time_budget_s or (extent.seconds if undeclared else None)
        self._session, self._collector, self._prefix = session, collector, extent.prefix

    def __call__(self) -> str | None:
        collector, samples = self._collector, self._session.limits.samples
        if self._session.stopping:
            return "interrupted"
        if self.most is not None and collector.batches >= self.most:
            return f"{self._prefix}stopped after {self.most} batches"
        if samples is not None and collector.samples >= samples:
            return f"{self._prefix}stopped after {samples} samples"
        if collector.full:
            return f"{self._prefix}stopped after {collector.batches} batches, for memory"
        late = self._seconds is not None and self._session.elapsed_s() >= self._seconds
        return f"{self._prefix}stopped after {self._seconds:g} s" if late else None


def _noted(
    batch: Any,
    pipeline: Pipeline,
    form: str,
    unpacker: Unpacker,
    parted: Callable[[bytes], tuple[bytes, Any]],
) -> NotedBatch | None:
    packed: bytes | None = AWAY.popleft() if form == "aside" and AWAY else None
    plain = batch
    if isinstance(batch, Envelope):
        plain, packed = batch.batch, batch.record
    if packed is None:
        return NotedBatch(plain, None, None, ())
    data, note = parted(packed)
    record = unpacker.unpack(data)
    if any(one.failure is not None for one in record.samples):
        return None
    ids = tuple(sample_id(pipeline.spec.kind, record.worker, one.id) for one in record.samples)
    return NotedBatch(plain if record.failure is None else None, record, note, ids)


def fitting(notes: Sequence[Any], samples: Sequence[SampleId]) -> Sequence[Any]:
    """Return the notes of the samples, or none where they are not one for each."""
    return notes if len(notes) == len(samples) else ()
