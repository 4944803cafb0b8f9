"""Stand-ins for the user's dataset and collate function that watch and change no result.

They are real subclasses with a ``__reduce__`` of their own, so that they pickle, that `isinstance`
holds for streams, and that ``len`` exists exactly where the user's dataset has it. Attributes are
read from and written to the user's object.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch.utils.data import Dataset, IterableDataset

from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import describe_failure
from dldoctor.probes.index import plain_index
from dldoctor.probes.nested import ReadWatch
from dldoctor.probes.record import pack
from dldoctor.probes.watch import WatchConfig, watch_of


class Failed:
    """Stands for a sample that raised; never leaves the process that made it."""


_FAILED = Failed()


class Envelope(NamedTuple):
    """A batch with its record. A named tuple, because torch's pinning walks one by itself."""

    batch: Any
    record: bytes


class Aside:
    """A batch that is pickled together with its record and rebuilt as the bare batch.

    For loaders whose own code handles the batches and must not meet an envelope.
    """

    def __init__(self, batch: Any, record: bytes) -> None:
        """Hold both until pickle takes them."""
        self.batch = batch
        self.record = record

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a call that files the record and returns the batch."""
        return _file_aside, (self.batch, self.record)


AWAY: deque[bytes] = deque(maxlen=8192)
"""Records of batches that arrived bare, in order of arrival."""


def _file_aside(batch: Any, record: bytes) -> Any:
    AWAY.append(record)
    return batch


class _Watched:
    """What all stand-ins for a dataset share."""

    _dldoctor_inner: Any
    _dldoctor_config: WatchConfig
    _dldoctor_swallow: bool

    def _dldoctor_set(self, inner: Any, config: WatchConfig, swallow: bool) -> None:
        # The plain way would go through __setattr__ below and land on the user's object.
        vars(self).update(_dldoctor_inner=inner, _dldoctor_config=config, _dldoctor_swallow=swallow)

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self._dldoctor_inner, self._dldoctor_config, self._dldoctor_swallow)
        return watched, state

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_dldoctor_") or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self._dldoctor_inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._dldoctor_inner, name, value)


class WatchedMap(_Watched, Dataset[Any]):
    """A map-style dataset without a length."""

    def __getitem__(self, index: Any) -> Any:
        """Read one item of the user's dataset and note it."""
        watch = watch_of(self._dldoctor_config)
        shown = plain_index(index)
        watch.note("getitem", shown)
        start = time.perf_counter_ns()
        reads = ReadWatch.of(self._dldoctor_inner)
        reads.begin()
        try:
            sample = self._dldoctor_inner[index]
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # the user's code, KeyboardInterrupt included
            failure = describe_failure(error) | {"retried": reads.retried}
            watch.fail(shown, failure, time.perf_counter_ns() - start)
            watch.note("idle", shown)
            if self._dldoctor_swallow:
                return _FAILED
            raise
        finally:
            reads.end(index, watch.substitutions)
        watch.take(shown, sample, time.perf_counter_ns() - start)
        return sample


class WatchedMapBatched(WatchedMap):
    """A map-style dataset whose items can be fetched a batch at a time."""

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """Fetch a batch through the user's ``__getitems__`` and note its items."""
        watch = watch_of(self._dldoctor_config)
        watch.note("getitems", plain_index(indices[0]) if indices else "")
        start = time.perf_counter_ns()
        try:
            samples = list(self._dldoctor_inner.__getitems__(indices))
        except Exception:  # noqa: BLE001 - one by one, to learn which item it was
            return [self[index] for index in indices]
        share = (time.perf_counter_ns() - start) // max(1, len(samples))
        for index, sample in zip(indices, samples, strict=False):
            watch.take(plain_index(index), sample, share)
        watch.note("idle", plain_index(indices[-1]) if indices else "")
        return samples


class WatchedStream(_Watched, IterableDataset[Any]):
    """A stream of samples without a length."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's samples and note them."""
        watch = watch_of(self._dldoctor_config)
        ordinal = 0
        watch.note("iter", ordinal)
        start = time.perf_counter_ns()
        try:
            samples = iter(self._dldoctor_inner)
            while True:
                sample = next(samples)
                elapsed = time.perf_counter_ns() - start
                watch.take(ordinal, sample, elapsed)
                yield sample
                ordinal += 1
                watch.note("iter", ordinal)
                start = time.perf_counter_ns()
        except StopIteration:
            watch.note("idle", ordinal)  # the count of what was read stands on the board
            return
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # the user's code, KeyboardInterrupt included
            watch.fail(ordinal, describe_failure(error), time.perf_counter_ns() - start)
            if not self._dldoctor_swallow:
                raise
            yield _FAILED


class _Sized:
    """Adds the length where the user's dataset has one."""

    def __len__(self) -> int:
        return len(self._dldoctor_inner)  # type: ignore[attr-defined]


class SizedMap(_Sized, WatchedMap):
    """A map-style dataset with a length."""


class SizedMapBatched(_Sized, WatchedMapBatched):
    """A map-style dataset with a length and ``__getitems__``."""


class SizedStream(_Sized, WatchedStream):
    """A stream that states its length."""


def watched(inner: Any, config: WatchConfig, swallow: bool) -> Any:
    """Return the stand-in for a dataset that has the same abilities."""
    sized = has(type(inner), "__len__")
    if isinstance(inner, IterableDataset) or not has(type(inner), "__getitem__"):
        kind: Any = SizedStream if sized else WatchedStream
    elif callable(attribute(inner, "__getitems__", None)):
        kind = SizedMapBatched if sized else WatchedMapBatched
    else:
        kind = SizedMap if sized else WatchedMap
    made = kind.__new__(kind)
    made._dldoctor_set(inner, config, swallow)  # noqa: SLF001 - our own class
    return made


class WatchedCollate:
    """Calls the user's collate function and puts the record of its samples beside the batch."""

    def __init__(self, inner: Callable[[Any], Any], config: WatchConfig, form: str) -> None:
        """Wrap `inner`; `form` is ``envelope`` or ``aside``."""
        self.inner = inner
        self.config = config
        self.form = form

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate (a tokenizer, say)."""
        if name.startswith("__") or name in ("inner", "config", "form"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Collate, unless one of the samples raised."""
        watch = watch_of(self.config)
        watch.before_collate()
        last = watch.pending[-1].id if watch.pending else ""
        watch.note("collate", last)
        failure = None
        batch = None
        start = time.perf_counter_ns()
        if not _spoiled(samples):
            try:
                batch = self.inner(samples)
            except Exception as error:  # the user's code
                if self.form == "aside":
                    raise
                failure = describe_failure(error)
        elapsed = time.perf_counter_ns() - start
        watch.batches += 1
        before = time.thread_time_ns()
        record = pack(watch, elapsed, failure)
        watch.own_ns += time.thread_time_ns() - before
        watch.note("idle", last)
        if self.form == "envelope":
            return Envelope(batch, record)
        if watch.worker < 0:
            return _file_aside(batch, record)
        return Aside(batch, record)


def _spoiled(samples: Any) -> bool:
    if isinstance(samples, Failed):
        return True
    return isinstance(samples, list) and any(isinstance(one, Failed) for one in samples)
