"""Reads single items of a dataset directly, with pinned random numbers."""

from __future__ import annotations

import time
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.protocol import Reading
from dldoctor.probes.collect.failures import FailureCollector
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.frames import describe_failure, one_line, user_frame
from dldoctor.probes.nested import ReadWatch

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
        self._contents[index] = digests(sample)
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
            self._contents[index] = digests(one[0]) if one else None
        return self._contents[index]
