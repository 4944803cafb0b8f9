"""Notices a dataset that answers for one index with the item of another.

``return self[i + 1]`` calls the class's own ``__getitem__``, which no wrapper around the object
can see, so the method of the class is replaced in this process, which exists for the probe only.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import is_first_party, one_line, user_frame
from dldoctor.probes.index import plain_index


class _Reads(threading.local):
    """The reads that are going on in this thread, outermost first."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the last read."""
        self.stack: list[tuple[int, Any]] = []
        self.inner: list[tuple[Any, Any]] = []
        """``(index, result)`` of the finished reads inside the outermost one."""
        self.error: tuple[str, SourceRef | None] | None = None
        self.result: Any = None
        self.asked: Any = None
        self.retried = False
        """An exception came out of a read that the user's `except` block had asked for."""


class ReadWatch:
    """Watches the reads of one dataset class."""

    _of_class: ClassVar[dict[type, ReadWatch]] = {}

    def __init__(self, owner: type | None) -> None:
        """Replace ``owner.__getitem__`` by a watched one; None watches nothing."""
        self.reads = _Reads()
        if owner is not None:
            original: Any = vars(owner)["__getitem__"]
            watched = functools.wraps(original)(self._watched(original))
            setattr(owner, "__getitem__", watched)  # noqa: B010 - a method that not every type has

    @property
    def retried(self) -> bool:
        """Whether the last read failed in a second read that an `except` block had asked for."""
        return self.reads.retried

    @classmethod
    def of(cls, dataset: Any) -> ReadWatch:
        """Return the watch of a dataset's innermost class, made on first use in this process."""
        kind = type(_innermost(dataset))
        watch = cls._of_class.get(kind)
        if watch is None:
            watch = cls._of_class[kind] = cls(_owner(kind))
        return watch

    @contextmanager
    def outermost(self, index: Any, found: list[Any]) -> Iterator[None]:
        """Watch one read; note in `found` if another item came back as it is."""
        self.begin()
        try:
            yield
        finally:
            self.end(index, found)

    def begin(self) -> None:
        """Watch the read that follows."""
        self.reads.reset()

    def end(self, index: Any, found: list[Any]) -> None:
        """Note in `found` if the read of `index` brought another item as it is."""
        reads = self.reads
        for inner_index, result in reads.inner:
            if result is reads.result and _tells(result, reads) and not _same(inner_index, reads.asked):
                text, where = reads.error if reads.error is not None else (None, None)
                place = (where.path, where.line or 0, where.symbol or "") if where else None
                found.append((plain_index(index), plain_index(inner_index), text, place))
                break
        reads.inner, reads.result = [], None  # the sample must not outlive its read

    def _watched(self, original: Any) -> Any:
        reads = self.reads

        def __getitem__(dataset: Any, index: Any) -> Any:  # noqa: N807 - stands for the user's
            outer = not reads.stack
            # Set while the user's `except` block is calling us: this is what it swallows.
            handled = None if outer else sys.exc_info()[1]
            reads.stack.append((id(dataset), index))
            try:
                result = original(dataset, index)
            except BaseException as error:
                if not outer:
                    reads.error = (one_line(error), user_frame(error.__traceback__)[0])
                    reads.retried = reads.retried or handled is not None
                raise
            else:
                if handled is not None:
                    reads.error = (one_line(handled), user_frame(handled.__traceback__)[0])
                if outer:
                    reads.result, reads.asked = result, index
                elif reads.stack[0][0] == id(dataset):
                    reads.inner.append((index, result))
                return result
            finally:
                reads.stack.pop()

        return __getitem__


def _innermost(dataset: Any) -> Any:
    for _ in range(8):
        inner = attribute(dataset, "dataset", None)
        if inner is None or (not has(type(dataset), "indices") and not has(dataset, "indices")):
            return dataset
        dataset = inner
    return dataset


def _owner(kind: type) -> type | None:
    for base in kind.__mro__:
        method = base.__dict__.get("__getitem__")
        if method is not None:
            code = getattr(method, "__code__", None)
            return base if code is not None and is_first_party(code.co_filename) else None
    return None


def _tells(result: Any, reads: _Reads) -> bool:
    """Whether "the same object came back" says anything: small numbers are one object anyway."""
    return result is not None and (reads.error is not None or not isinstance(result, (int, float, str)))


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - the user's index type
        return False
