"""Timers around entry points of libraries whose work hides inside a line that says something else.

Pillow decodes when pixels are first asked for, and an archive is read when it is opened, so that a
statement of the user's would get time of several stages. Only libraries that are loaded are touched,
and only in a process made for the probe.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from dldoctor.foreign import attribute, has
from dldoctor.probes.profile.tracer import Tracer


class EntryPoint(NamedTuple):
    """A function or method of a library."""

    module: str
    path: str
    stage: str
    opens: bool = False
    """Its first argument names an archive or a database."""
    rereads: bool = False
    """It reads a whole part of an open archive anew, which one that was kept would have in memory."""

    @property
    def shown(self) -> str:
        """Return it as users know it: ``Image.resize``."""
        parts = [self.module.rsplit(".", 1)[-1], *self.path.split(".")]
        return ".".join(parts[-2:] if parts[-1] != "__init__" else parts[-3:-1])


ENTRY_POINTS = (
    EntryPoint("PIL.Image", "open", "decode"),
    EntryPoint("PIL.ImageFile", "ImageFile.load", "decode"),
    EntryPoint("PIL.Image", "Image.resize", "transform"),
    EntryPoint("PIL.Image", "Image.thumbnail", "transform"),
    EntryPoint("PIL.Image", "Image.convert", "transform"),
    EntryPoint("PIL.Image", "Image.crop", "transform"),
    EntryPoint("PIL.Image", "Image.rotate", "transform"),
    EntryPoint("cv2", "resize", "transform"),
    EntryPoint("h5py", "File.__init__", "storage read", opens=True),
    EntryPoint("h5py", "Dataset.__getitem__", "storage read"),
    EntryPoint("zipfile", "ZipFile.__init__", "storage read", opens=True),
    EntryPoint("tarfile", "TarFile.__init__", "storage read", opens=True),
    EntryPoint("lmdb", "open", "storage read", opens=True),
    EntryPoint("sqlite3", "connect", "storage read", opens=True),
    EntryPoint("zarr", "open", "storage read", opens=True),
    EntryPoint("numpy.lib._npyio_impl", "NpzFile.__init__", "storage read", opens=True),
    EntryPoint("numpy.lib._npyio_impl", "NpzFile.__getitem__", "storage read", rereads=True),
)


class Opened(NamedTuple):
    """What opening one archive cost in one batch."""

    path: str
    times: int
    elapsed_ns: int


class Resized(NamedTuple):
    """A picture that was made smaller."""

    before: int
    """Pixels that went in."""
    after: int
    width: int
    height: int
    """Of the result."""


class EntryPoints:
    """The wrapped entry points of one process."""

    def __init__(self, tracer: Tracer) -> None:
        """Wrap what is loaded now; `look_again` finds what is loaded later."""
        self.tracer = tracer
        self.names: dict[int, tuple[int, EntryPoint]] = {}
        """Key to the statement that called, and what it called."""
        self.opened: dict[str, list[int]] = {}
        self.resized: list[Resized] = []
        self._keys: dict[tuple[int, int], int] = {}
        self._done: set[EntryPoint] = set()
        self.look_again()

    def look_again(self) -> None:
        """Wrap the entry points of libraries that were loaded since."""
        for number, entry in enumerate(ENTRY_POINTS):
            module = sys.modules.get(entry.module)
            if module is None or entry in self._done:
                continue
            self._done.add(entry)
            owner: Any = module
            *outer, name = entry.path.split(".")
            for part in outer:
                owner = attribute(owner, part, None)
            original = vars(owner).get(name) if owner is not None else None
            if callable(original):
                setattr(owner, name, self._wrapped(number, entry, original))

    def _wrapped(self, number: int, entry: EntryPoint, original: Callable[..., Any]) -> Callable[..., Any]:
        tracer = self.tracer
        shrinks = entry.path in ("Image.resize", "Image.thumbnail", "resize")

        @functools.wraps(original)
        def timed(*args: Any, **options: Any) -> Any:
            current = tracer.current()
            if current < 0:
                return original(*args, **options)
            # An `.npz` is a ZIP file: what opens inside of an opening is a part of it.
            notes = entry.opens and not (current in self.names and self.names[current][1].opens)
            before = _pixels(args[0]) if shrinks else 0
            started = time.perf_counter_ns()
            tracer.enter(self._key(current, number, entry))
            try:
                result = original(*args, **options)
            finally:
                tracer.leave()
                if notes:
                    self._note_opened(entry, args, options, time.perf_counter_ns() - started)
                elif entry.rereads and (path := attribute(attribute(args[0], "zip"), "filename")):
                    self._add(os.fsdecode(path), 0, time.perf_counter_ns() - started)
            if shrinks:
                self._note_resized(before, args[0] if result is None else result)
            return result

        return timed

    def _key(self, current: int, number: int, entry: EntryPoint) -> int:
        # An entry point inside another one belongs to the statement that called the outer one.
        statement = self.names[current][0] if current in self.names else current
        key = self._keys.get((statement, number))
        if key is None:
            key = self._keys[statement, number] = self.tracer.new_key()
            self.names[key] = (statement, entry)
        return key

    def _note_opened(
        self, entry: EntryPoint, args: tuple[Any, ...], options: dict[str, Any], ns: int
    ) -> None:
        named = args[1:] if entry.path.endswith("__init__") else args
        source = named[0] if named else next(iter(options.values()), "")
        if not isinstance(source, (str, bytes, os.PathLike)):
            if not has(source, "read"):
                return  # a handle that is open already, which h5py wraps anew each time it is asked for
            source = attribute(source, "name", None) or type(source).__name__
        self._add(os.fsdecode(source) if not isinstance(source, int) else str(source), 1, ns)

    def _add(self, path: str, times: int, ns: int) -> None:
        count = self.opened.setdefault(path[:200], [0, 0])
        count[0] += times
        count[1] += ns

    def _note_resized(self, before: int, result: Any) -> None:
        width, height = _extent(result)
        if width and before and len(self.resized) < 256:
            self.resized.append(Resized(before, width * height, width, height))

    def take(self) -> tuple[list[Opened], list[Resized]]:
        """Return what was opened and resized since the last call."""
        opened = [Opened(path, *count) for path, count in self.opened.items()]
        resized, self.resized, self.opened = self.resized, [], {}
        return opened, resized


def _pixels(image: Any) -> int:
    width, height = _extent(image)
    return width * height


def _extent(image: Any) -> tuple[int, int]:
    """Return width and height of a picture of Pillow's or an array; zeros where it has none."""
    size: Any = getattr(image, "size", None)
    shape: Any = getattr(image, "shape", ())
    if isinstance(size, tuple) and len(size) == 2:
        return int(size[0]), int(size[1])
    return (int(shape[1]), int(shape[0])) if len(shape) in (2, 3) else (0, 0)
