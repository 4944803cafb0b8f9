"""The batches whose rows are shown, each put together by the user's collate."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.rows.choose import SEED, ReadBatch, read_batches
from dldoctor.probes.alignment.rows.media import Held
from dldoctor.probes.alignment.rows.order import sources_of
from dldoctor.probes.alignment.rows.split import rows_in
from dldoctor.probes.digest import pin
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline


@dataclass(frozen=True)
class Batch:
    """One batch: what the collate made, and of what."""

    number: int
    made: Any
    """Null where the collate failed, or there is none."""
    items: tuple[Item, ...]
    suspects: frozenset[SampleId]
    order: tuple[int | None, ...] = ()
    """Position of the sample behind each row, where the collate's rows could be traced."""

    @property
    def held(self) -> Held | None:
        """The fields of the batch."""
        return None if self.made is None else dict(leaves(self.made))


def batches(pipeline: Pipeline, session: Session, wanted: int, notes: list[str]) -> Iterator[Batch]:
    """Yield batches of so many rows; what must be known of how they were read is added to `notes`."""
    if pipeline.dataset is None or pipeline.torch_loader is None:
        notes.append("the loader shows no dataset: rows are those of its first batches, without sample ids")
        yield from _of_loader(pipeline, session, wanted)
        return
    if pipeline.loader is not pipeline.torch_loader:
        notes.append("rows are as the collate makes them; what stands around the loader is not applied")
    collate = vars(pipeline.torch_loader).get("collate_fn")
    ready_made = pipeline.spec.batch_size is None and vars(pipeline.torch_loader).get("batch_sampler") is None
    size = 1 if ready_made else pipeline.spec.batch_size or 8
    for number, read in enumerate(read_batches(pipeline, session, size, wanted)):
        session.note("collate", str(read.items[0].id))
        samples = [item.sample for item in read.items]
        if ready_made or not callable(collate):
            yield Batch(number, samples[0] if ready_made else None, read.items, read.suspects)
        else:
            yield _collated(number, read, collate, notes)


def _collated(number: int, read: ReadBatch, collate: Callable[[Any], Any], notes: list[str]) -> Batch:
    samples = [item.sample for item in read.items]
    try:
        before = copy.deepcopy(samples)  # collates change what they are given
    except Exception:  # noqa: BLE001 - the user's objects
        before = []
    made, error = _made(collate, samples)
    if error is not None:
        notes.append(f"the collate raised {error}: its rows are shown as the samples have them")
    order, items = None, read.items
    if before:
        items = tuple(replace(one, sample=sample) for one, sample in zip(items, before, strict=True))
    if made is not None and before:
        order = sources_of(dict(leaves(made)), before, lambda some: _leaves(_made(collate, some)[0]))
    if made is not None and order is None and len(samples) > 1:
        notes.append("rows could not be traced to samples: ids and files are those at the same position")
    return Batch(number, made, items, read.suspects, tuple(order or ()))


def _made(collate: Callable[[Any], Any], samples: list[Any]) -> tuple[Any, str | None]:
    pin(SEED)
    try:
        return collate(samples), None
    except Exception as error:  # noqa: BLE001 - the user's code; dry-run tells more of it
        return None, type(error).__name__


def _leaves(made: Any) -> Held | None:
    return None if made is None else dict(leaves(made))


def _of_loader(pipeline: Pipeline, session: Session, wanted: int) -> Iterator[Batch]:
    iterator, number, given = iter(pipeline.loader), 0, 0
    while given < wanted and not session.stopping:
        session.note("next", number)
        try:
            made = next(iterator)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
            return
        yield Batch(number, made, (), frozenset())
        number, given = number + 1, given + max(1, rows_in(dict(leaves(made)), {}, None))
