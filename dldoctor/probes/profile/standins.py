"""Stand-ins for the user's dataset, collate and sampler that take times and change no result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch.utils.data import Dataset, IterableDataset, Subset

from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import one_line
from dldoctor.probes.index import plain_index
from dldoctor.probes.profile.stamps import AWAY, Arrived, Stamp, TimedAside, TimedEnvelope
from dldoctor.probes.profile.worker import ProfileConfig, bench_of
from dldoctor.probes.wrappers import Failed

_FAILED = Failed()


class _Timed:
    """What all stand-ins for a dataset share; attributes are the user's object's."""

    _dldoctor_inner: Any
    _dldoctor_config: ProfileConfig
    _dldoctor_swallow: bool

    def __reduce__(self) -> tuple[Any, ...]:
        return timed, (self._dldoctor_inner, self._dldoctor_config, self._dldoctor_swallow)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_dldoctor_") or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self._dldoctor_inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._dldoctor_inner, name, value)


class TimedMap(_Timed, Dataset[Any]):
    """A map-style dataset."""

    def __getitem__(self, index: Any) -> Any:
        """Read one item of the user's dataset and keep what it took."""
        bench = bench_of(self._dldoctor_config)
        shown = plain_index(index)
        bench.note("getitem", shown)
        start = bench.tracer.begin()
        try:
            sample = self._dldoctor_inner[index]
        except Exception:
            bench.finish((shown,), start, failed=True)
            if self._dldoctor_swallow:
                return _FAILED
            raise
        bench.finish((shown,), start)
        return sample


class TimedMapBatched(TimedMap):
    """A map-style dataset whose items can be fetched a batch at a time."""

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """Fetch a batch as the user's dataset does."""
        if _fetches_one_by_one(self._dldoctor_inner):
            return [self[index] for index in indices]
        bench = bench_of(self._dldoctor_config)
        shown = tuple(plain_index(index) for index in indices)
        bench.note("getitems", shown[0] if shown else "")
        start = bench.tracer.begin()
        try:
            samples: list[Any] = self._dldoctor_inner.__getitems__(indices)
        except Exception:
            bench.finish(shown, start, failed=True)
            if self._dldoctor_swallow:
                return [_FAILED]
            raise
        bench.finish(shown, start)
        return samples


class TimedStream(_Timed, IterableDataset[Any]):
    """A stream of samples."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's samples and keep what each took."""
        bench = bench_of(self._dldoctor_config)
        ordinal = 0
        start = bench.tracer.begin()
        samples = None
        while True:
            bench.note("iter", ordinal)
            try:
                if samples is None:
                    samples = iter(self._dldoctor_inner)
                sample = next(samples)
            except StopIteration:
                bench.tracer.end()
                bench.note("idle", ordinal)
                return
            except Exception:
                bench.finish((ordinal,), start, failed=True)
                if not self._dldoctor_swallow:
                    raise
                yield _FAILED
                return
            bench.finish((ordinal,), start)
            yield sample
            ordinal += 1
            start = bench.tracer.begin()


class _Sized:
    def __len__(self) -> int:
        return len(self._dldoctor_inner)  # type: ignore[attr-defined]


class SizedMap(_Sized, TimedMap):
    """A map-style dataset with a length."""


class SizedMapBatched(_Sized, TimedMapBatched):
    """A map-style dataset with a length and ``__getitems__``."""


class SizedStream(_Sized, TimedStream):
    """A stream that states its length."""


def timed(inner: Any, config: ProfileConfig, swallow: bool) -> Any:
    """Return the stand-in for a dataset that has the same abilities."""
    sized = has(type(inner), "__len__")
    if isinstance(inner, IterableDataset) or not has(type(inner), "__getitem__"):
        kind: Any = SizedStream if sized else TimedStream
    elif callable(attribute(inner, "__getitems__", None)):
        kind = SizedMapBatched if sized else TimedMapBatched
    else:
        kind = SizedMap if sized else TimedMap
    made = kind.__new__(kind)
    vars(made).update(_dldoctor_inner=inner, _dldoctor_config=config, _dldoctor_swallow=swallow)
    return made


def _fetches_one_by_one(dataset: Any) -> bool:
    """Whether ``__getitems__`` is torch's own loop over single items of another dataset."""
    own = attribute(type(dataset), "__getitems__", None)
    inner = attribute(dataset, "dataset", None)
    return own is getattr(Subset, "__getitems__", None) and not callable(
        attribute(inner, "__getitems__", None)
    )


class TimedCollate:
    """Calls the user's collate function and puts stamps and record beside the batch."""

    def __init__(self, inner: Callable[[Any], Any], config: ProfileConfig, form: str) -> None:
        """Wrap `inner`; `form` is ``envelope`` or ``aside``."""
        self.inner = inner
        self.config = config
        self.form = form

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate."""
        if name.startswith("__") or name in ("inner", "config", "form"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Collate, unless one of the samples raised."""
        bench = bench_of(self.config)
        last = bench.groups[-1].ids[-1] if bench.groups and bench.groups[-1].ids else ""
        bench.note("collate", last)
        failure, batch = None, None
        start = bench.tracer.begin()
        if not _spoiled(samples):
            try:
                batch = self.inner(samples)
            except Exception as error:
                if self.form == "aside":
                    bench.tracer.end()
                    raise
                failure = one_line(error)
        end, spent = bench.tracer.end()
        record = bench.pack(start, end, spent, failure)
        bench.note("idle", last)
        if self.form == "envelope":
            return TimedEnvelope(Stamp(), batch, Stamp(), record)
        if bench.worker < 0:
            AWAY.append(Arrived(Stamp(), Stamp(), record))
            return batch
        return TimedAside(batch, record)


def _spoiled(samples: Any) -> bool:
    if isinstance(samples, Failed):
        return True
    return isinstance(samples, list) and any(isinstance(one, Failed) for one in samples)


class Issued(NamedTuple):
    """One answer of the sampler."""

    asked_ns: int
    given_ns: int


class TimedSampler:
    """Stands for the sampler that the loader asks, and notes when it answers."""

    def __init__(self, inner: Any, log: list[Issued]) -> None:
        """Ask `inner`; write to `log`."""
        self._inner = inner
        self._log = log

    def __getattr__(self, name: str) -> Any:
        """Read attributes of the user's sampler."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __len__(self) -> int:
        """Return the user's length."""
        return len(self._inner)

    def __iter__(self) -> Iterator[Any]:
        """Begin an epoch; the user's sampler begins at the same moment as without us."""
        return _issue(iter(self._inner), self._log)


class _issue:  # noqa: N801 - an iterator that reads like the function it replaces
    def __init__(self, inner: Iterator[Any], log: list[Issued]) -> None:
        self._advance = inner.__next__
        self._log = log

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        asked = time.perf_counter_ns()
        indices = self._advance()
        self._log.append(Issued(asked, time.perf_counter_ns()))
        return indices
