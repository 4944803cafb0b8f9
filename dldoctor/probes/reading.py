"""Reads single items of a dataset directly, with pinned random numbers."""

from __future__ import annotations

import time
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.protocol import Reading
from dldoctor.probes.arrays import unboxed
from dldoctor.probes.collect.failures import FailureCollector
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.frames import describe_failure, one_line, user_frame
from dldoctor.probes.look import as_tensor
from dldoctor.probes.nested import ReadWatch
from dldoctor.roles.flatten import leaves

SEED = 101


class Reader:
    """Reads items, remembers what came, and knows when the time is up."""

    def __init__(self, dataset: Any, session: Session, deadline: float) -> None:
        """Read from `dataset` until `deadline` (``time.monotonic``)."""
        self.dataset = dataset
        self._session = session
        self._watch = ReadWatch.of(dataset)
        self._deadline = deadline
        self._readings: dict[int, Reading] = {}
        self._contents: dict[int, dict[str, str] | None] = {}
        self._echoes: dict[int, frozenset[str]] = {}
        self._length: int | None = None
        self._counted: set[int] = set()
        self._deadly = {int(one) for one in session.read_note("deadly") or [] if one.lstrip("-").isdigit()}
        self.failures = FailureCollector()
        """Exceptions of indices that the dataset says it has."""

    def out_of_time(self) -> bool:
        """Whether no further question should be asked."""
        return self._session.stopping or time.monotonic() > self._deadline

    def is_deadly(self, index: int) -> bool:
        """Whether a process died or hung at this item in the same run."""
        return index in self._deadly

    def note(self, index: int) -> None:
        """Write on the board which item is being read."""
        self._session.note("getitem", index)

    def fresh(self, index: int, seed: int) -> tuple[Any] | None:
        """Read an item with pinned random numbers; None where it raises or the time is up."""
        if self.out_of_time() or index in self._deadly:
            return None
        self.note(index)
        pin(seed)
        try:
            with self._watch.outermost(index, []):
                return (self.dataset[index],)
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the user's code
            self._count(index, error)
            return None

    def read(self, index: int) -> Reading | None:
        """Return what an index gives; None where the time was up before it was asked."""
        if index not in self._readings:
            if self.out_of_time() or index in self._deadly:
                return None
            self._readings[index] = self._read(index)
        return self._readings[index]

    def _read(self, index: int) -> Reading:
        self.note(index)
        pin(SEED)
        try:
            with self._watch.outermost(index, []):
                sample = self.dataset[index]
        except IndexError as error:
            return self._failed(index, "index-error", error)
        except StopIteration as error:
            return self._failed(index, "stop", error)
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the user's code
            return self._failed(index, "raised", error)
        self._keep(index, sample)
        return Reading(index, "value", preview=type(sample).__name__)

    def _failed(self, index: int, outcome: Any, error: BaseException) -> Reading:
        self._count(index, error)
        where, raised_here = user_frame(error.__traceback__)
        return Reading(index, outcome, one_line(error), where, raised_here, retried=self._watch.retried)

    def _count(self, index: int, error: BaseException) -> None:
        if self._length is None:
            self._length = len(self.dataset)
        if 0 <= index < self._length and index not in self._counted:
            self._counted.add(index)
            failure = describe_failure(error) | {"retried": self._watch.retried}
            self.failures.add("sample", (index,), failure, phase="protocol")

    def content(self, index: int) -> dict[str, str] | None:
        """Return the digests of an item read with the same random numbers each time."""
        if index not in self._contents:
            one = self.fresh(index, SEED)
            self._contents[index] = None
            if one is not None:
                self._keep(index, one[0])
        return self._contents[index]

    def _keep(self, index: int, sample: Any) -> None:
        self._contents[index] = digests(sample)
        self._echoes[index] = frozenset(path for path, leaf in leaves(sample) if _is_number(leaf, index))

    def alike(self, one: int, other: int) -> bool | None:
        """Whether two indices give the same with equal random numbers, whatever field only repeats the index.

        None where nothing else is in them.
        """
        first, second = self.content(one), self.content(other)
        if not first or not second:
            return None
        echoes = self._echoes[one] & self._echoes[other]
        a, b = ({path: mark for path, mark in held.items() if path not in echoes} for held in (first, second))
        return a == b if a or b else None


def _is_number(leaf: Any, number: int) -> bool:
    """Whether a leaf is this number: as it is, as the only element of an array, or as text."""
    if isinstance(leaf, str):
        return leaf == str(number)
    value = unboxed(leaf)
    if isinstance(value, int):
        return value == number and not isinstance(value, bool)
    tensor = as_tensor(leaf)
    return tensor is not None and tensor.numel() == 1 and bool(tensor.reshape(()).item() == number)
