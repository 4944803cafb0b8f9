"""Stand-ins that note, in a file of each worker, which samples of a stream went into which batch."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torch.utils.data import get_worker_info

from dldoctor.child import alarm
from dldoctor.foreign import has
from dldoctor.probes.sharding.keys import Keys, keys_of, rows_of
from dldoctor.probes.sharding.mix import MixLog, kinds_of, work_of
from dldoctor.probes.watch import alarm_die_with_parent
from dldoctor.probes.wrappers import SizedStream, WatchedStream

FIRST = 8


@dataclass
class LogConfig:
    """Where a rank's workers write; travels to them by pickle."""

    folder: str
    staging: str
    token: str
    epoch: int = 0
    """The epoch that the main process is in; a worker counts on from where it was started."""
    own_id: str | None = None
    batched: bool = False
    """The dataset yields batches: their rows are the samples."""
    texts: int = FIRST
    """How many samples of each worker and epoch are also named as a person would name them."""
    kinds: tuple[str, ...] | None = None
    """Declared fields that say what kind of sample it is, beside the usual names; null to note none."""


class Log:
    """What one process notes in one epoch: numbers, appended batch by batch.

    A batch is its number of samples and three keys for each. After the end of the stream comes
    `END`, the number of samples that were read and are in no batch so far, and their keys.
    """

    def __init__(self, path: str, texts: int, mix: MixLog | None = None) -> None:
        """Start with empty files."""
        self.mix = mix
        self.kinds: list[dict[str, str]] = []
        self.pending: list[tuple[int, int, int]] = []
        self.first: list[str] = []
        self._path = path
        self._texts = texts
        self._written = 0
        self._waiting: array[int] = array("q")
        self._flushed = 0.0
        self._ended = False
        for ending in ("", ".names"):
            with open(path + ending, "wb"):
                pass

    def take(self, keys: Keys) -> None:
        """Note a sample that was read."""
        self.pending.append((keys.own, keys.quiet, keys.full))
        if len(self.first) < self._texts:
            self.first.append(keys.text)

    def deliver(self) -> None:
        """Note that all that was read since the last batch is a batch."""
        self._put(len(self.pending))
        self.pending = []
        if self._ended or time.monotonic() - self._flushed > 0.1:
            self.flush()

    def note_mix(self, batch: Any) -> None:
        """Note what stands in the batch that was just delivered."""
        if self.mix is None:
            return
        self.mix.add(None, self.kinds, work_of(batch))
        self.kinds = []
        if not self.mix.left:
            self.mix = None

    def end(self) -> None:
        """Note that the stream has no more samples."""
        self._ended = True
        self._waiting.append(END)
        self._put(len(self.pending))
        self.flush()

    def _put(self, number: int) -> None:
        self._waiting.append(number)
        for keys in self.pending:
            self._waiting.extend(keys)

    def flush(self) -> None:
        """Write what waits."""
        self._flushed = time.monotonic()
        with open(self._path, "ab") as file:
            file.write(self._waiting.tobytes())
        with open(f"{self._path}.names", "a", encoding="utf-8") as file:
            file.writelines(json.dumps(name) + "\n" for name in self.first[self._written :])
        self._written = len(self.first)
        self._waiting = array("q")


END = -1
_logs: dict[tuple[str, int], tuple[Log, int]] = {}
"""Of this process: token and pid to the log in use and how many epochs this process has begun."""


def _begin(config: LogConfig) -> Log:
    """Start the log of another epoch in this process."""
    info = get_worker_info()
    key = (config.token, os.getpid())
    begun = _logs[key][1] if key in _logs else 0
    if info is not None and not begun:
        alarm.arm(config.staging)
        alarm_die_with_parent()
    epoch = config.epoch + (begun if info is not None else 0)
    worker = 0 if info is None else int(info.id)
    noting = config.kinds is not None and epoch == 0
    mix = MixLog(os.path.join(config.folder, f"mix-{worker}")) if noting else None
    log = Log(os.path.join(config.folder, f"log-{epoch}-{worker}"), config.texts, mix)
    _logs[key] = (log, begun + 1)
    return log


def _current(config: LogConfig) -> Log | None:
    found = _logs.get((config.token, os.getpid()))
    return found[0] if found else None


class LoggedStream(WatchedStream):
    """A stream whose samples are noted; nothing else about it changes."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's samples."""
        config: Any = self._dldoctor_config
        log = _begin(config)
        for sample in self._dldoctor_inner:
            for row in rows_of(sample) if config.batched else (sample,):
                log.take(keys_of(row, config.own_id))
                if log.mix is not None:
                    log.kinds.append(kinds_of(row, config.kinds or ()))
            beat(config.folder)
            yield sample
        log.end()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a call that makes the stand-in again."""
        return logged, (self._dldoctor_inner, self._dldoctor_config)


class SizedLoggedStream(LoggedStream, SizedStream):
    """The same with a length."""


def logged(inner: Any, config: LogConfig) -> Any:
    """Return the stand-in for a stream."""
    kind = SizedLoggedStream if has(type(inner), "__len__") else LoggedStream
    made = kind.__new__(kind)
    vars(made).update(_dldoctor_inner=inner, _dldoctor_config=config, _dldoctor_swallow=False)
    return made


class LoggedCollate:
    """Notes that the samples read since the last batch are delivered."""

    def __init__(self, inner: Callable[[Any], Any], config: LogConfig) -> None:
        """Wrap the user's collate function."""
        self.inner = inner
        self.config = config

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate."""
        if name.startswith("__") or name in ("inner", "config"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Collate."""
        log = _current(self.config)
        if log is not None:
            log.deliver()
        batch = self.inner(samples)
        if log is not None:
            log.note_mix(batch)
        return batch


_beaten: dict[str, float] = {}


def beat(folder: str) -> None:
    """Show that something moves, a few times a second at most."""
    now = time.monotonic()
    if now - _beaten.get(folder, 0.0) > 0.2:
        _beaten[folder] = now
        os.utime(os.path.join(folder, "pulse"))
