"""Gives a loader the same batches again and again, so that growth that ends can be told from growth that does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch

from dldoctor.foreign import has
from dldoctor.probes.memory.control import CLOSING, RUNNING, TRIM, Control

LEAST_ROUNDS = 12
"""Batches of each worker in one turn, where the time allows."""
PATIENCE = 3.0


class SameBatches:
    """Stands for the sampler or batch sampler of the loader; the first turn is the user's own order."""

    def __init__(self, inner: Any, control: Control, workers: int, *, turns: int, limit: int | None) -> None:
        """Take batches from `inner`, at most `limit`; each epoch gives them `turns` times."""
        self.inner = inner
        self._control = control
        self._round = max(1, workers)
        self.turns = turns
        self.batched = True
        """Each item asks for a batch, and not for one sample."""
        self._limit = limit
        self.kept: list[Any] = []
        """What one turn is made of."""
        self.first_turn = 0
        """Batches of the very first turn, those included that make no whole round of the workers."""
        self.seconds = 0.0
        """Time of the first turn."""
        self.until = float("inf")
        """``time.monotonic()`` at which the first turn ends."""
        self.epoch = 0
        self.last = False
        """This epoch is the last."""
        self.cut = False
        """The first turn was ended by its time or the limit, and not by the data."""
        self.delivered: int | None = None
        """Batches of one turn of a stream that ends by itself: it is asked for more than it has."""

    def __len__(self) -> int:
        return len(self.kept) * self.turns if self.kept else len(self.inner)

    @property
    def rows(self) -> int:
        """Samples of one turn: as many as the indices that ask for them."""
        return sum(len(one) if self.batched and has(type(one), "__len__") else 1 for one in self.kept)

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own sampler (``set_epoch``, say)."""
        if name.startswith("__") or name in ("inner", "_control"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __iter__(self) -> Iterator[Any]:
        """Yield the batches of one epoch, and tell the workers when it ends."""
        if self.kept:
            own = iter(self.inner)  # a sampler of the user's own must go on living as it would
            todo = self.kept * self.turns
            self._tell_the_end(self.delivered or len(todo))
        else:
            self._control.tell(self.epoch, RUNNING)
            if self._limit is not None and self.turns == 1:
                self._tell_the_end(self._limit)
            yield from self._first_turn()
            own = iter(())
            todo = self._turned() * (self.turns - 1)
            if todo:
                self._tell_the_end(self.first_turn + len(todo))
        for batch in todo:
            next(own, None)
            yield copied(batch)

    def _tell_the_end(self, batches: int) -> None:
        """Tell the workers at which of their batches this epoch will be over; some early, for a few may fail."""
        each = batches // self._round
        self._control.tell(self.epoch, TRIM if self.last else CLOSING, max(1, each - each // 16))

    def _first_turn(self) -> Iterator[Any]:
        """Yield what is read for the first time until the time or the limit is up, in whole rounds."""
        fresh: list[Any] = []
        stop_at: int | None = self._limit
        try:
            for batch in self.inner:
                if stop_at is None and self._time_is_up(len(fresh)):
                    stop_at = len(fresh) + self._round - len(fresh) % self._round
                    if self.turns == 1:
                        self._tell_the_end(stop_at)
                if stop_at is not None and len(fresh) >= stop_at:
                    self.cut = True
                    break
                fresh.append(copied(batch))
                yield batch
        finally:  # a stream that ends by itself asks for no more
            self.first_turn = len(fresh)
            whole = len(fresh) - len(fresh) % self._round
            self.kept = fresh[: whole or None]

    def _time_is_up(self, taken: int) -> bool:
        """Whether the first turn has had its time; a slow start gets some more, for too few batches say nothing."""
        late = time.monotonic() - self.until
        return late >= 0 and (taken >= LEAST_ROUNDS * self._round or late >= PATIENCE * self.seconds)

    def _turned(self) -> list[Any]:
        """Return the batches in the order in which each meets the worker that it met before."""
        shift = self.first_turn % self._round if len(self.kept) >= self._round else 0
        return self.kept[shift:] + self.kept[:shift]


def copied(batch: Any) -> Any:
    """Return indices that share no memory with those given.

    A tensor that is sent to a worker moves into shared memory, where it stays: one that were kept
    would hold a descriptor.
    """
    if isinstance(batch, torch.Tensor):
        return batch.clone()
    if type(batch) in (list, tuple) and any(isinstance(one, (torch.Tensor, list, tuple)) for one in batch):
        return type(batch)(map(copied, batch))
    if type(batch) is dict:
        return {name: copied(value) for name, value in batch.items()}
    return batch


class Blanks:
    """Requests for batches of a stream, which has no indices."""

    def __init__(self, size: int | None) -> None:
        """Ask for `size` samples at a time; None where the dataset yields batches."""
        self._request = [None] * size if size else None

    def __iter__(self) -> Iterator[Any]:
        """Yield requests without end; the stream ends by itself."""
        while True:
            yield self._request


def put_in(loader: Any, kind: str, control: Control, *, turns: int, limit: int | None) -> SameBatches:
    """Put the same batches into a torch loader, in place of what it draws from."""
    attributes = vars(loader)
    batched = attributes.get("batch_sampler") is not None
    place = "batch_sampler" if batched else "sampler"
    inner = Blanks(attributes.get("batch_size")) if kind == "iterable" else attributes[place]
    same = SameBatches(inner, control, attributes["num_workers"], turns=turns, limit=limit)
    same.batched = batched
    attributes[place] = same
    return same
