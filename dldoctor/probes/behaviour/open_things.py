"""Recognises what is open: files, archives, databases, sockets; without calling the user's code."""

from __future__ import annotations

import io
import os
import socket
import sqlite3
import stat
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from typing import Any

from dldoctor.evidence.workers import Handle
from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.graph import Found, walk
from dldoctor.probes.frames import shown_path

RAW = "raw descriptor"
FILE = "open file"
_NAMES_OF_DESCRIPTORS = ("fd", "fileno", "descriptor")


def open_things(starts: Iterable[Found]) -> list[tuple[Handle, Any]]:
    """Return each open thing that processes cannot share, with the object itself."""
    found: list[tuple[Handle, Any]] = []
    inside: list[str] = []
    for path, value in walk(starts):
        if any(path.startswith(outer) for outer in inside):
            continue  # the file of an archive that is named already
        known = _kind(path, value)
        if known is not None:
            found.append((Handle(path, known[0], known[1]), value))
            inside.append(f"{path}.")
    return found


def _kind(path: str, value: Any) -> tuple[str, str] | None:
    """Return kind and file of an open thing."""
    if type(value) is int:
        return _raw(path, value)
    if isinstance(value, zipfile.ZipFile):
        return ("zip archive", _name(value.filename)) if value.fp is not None else None
    if isinstance(value, tarfile.TarFile):
        return None if attribute(value, "closed", False) else ("tar archive", _name(value.name))
    if isinstance(value, sqlite3.Connection):
        return "SQLite connection", _of_sqlite(value)
    if isinstance(value, socket.socket):
        return ("socket", "") if value.fileno() != -1 else None
    if isinstance(value, io.IOBase):
        return _of_file(value)
    return _of_library(value)


def _raw(path: str, value: int) -> tuple[str, str] | None:
    name = path.rsplit(".", 1)[-1].lower().strip("_")
    if value < 3 or not any(name == word or name.endswith(f"_{word}") for word in _NAMES_OF_DESCRIPTORS):
        return None
    try:
        regular = stat.S_ISREG(os.fstat(value).st_mode)
    except OSError:
        return None
    target = os.path.realpath(f"/proc/self/fd/{value}")
    # Shared memory (the arena of a `multiprocessing.Value`, say) is there to be shared, and nobody reads it by position.
    memory = target.endswith(" (deleted)") and target.startswith(("/dev/shm/", "/memfd:"))  # noqa: S108 - no file is made
    return (RAW, _name(target)) if regular and not memory else None


def _of_sqlite(connection: sqlite3.Connection) -> str:
    try:
        rows = connection.execute("PRAGMA database_list").fetchall()
    except sqlite3.Error:  # closed, or made in another thread
        return ""
    return _name(rows[0][2]) if rows else ""


def _of_file(file: io.IOBase) -> tuple[str, str] | None:
    if file.closed or file in (sys.stdin, sys.stdout, sys.stderr):
        return None
    try:
        descriptor = file.fileno()
        # Each process may append to a log that it got from its parent; reading is what moves.
        if not file.readable() or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
    except (OSError, ValueError):
        return None
    return FILE, _name(getattr(file, "name", ""))


def _of_library(value: Any) -> tuple[str, str] | None:
    owner, name = type(value).__module__.split(".")[0], type(value).__name__
    if owner == "h5py" and name in ("File", "Group", "Dataset"):
        file = attribute(value, "file", None) if bool(value) else None
        return None if file is None else ("HDF5 handle", _name(file.filename))
    return _of_lmdb(value)


def _of_lmdb(value: Any) -> tuple[str, str] | None:
    # Its compiled classes say that they are Python's own, so they are asked for by name.
    lmdb: Any = sys.modules.get("lmdb")
    if lmdb is None:
        return None
    if isinstance(value, lmdb.Environment):
        try:
            return "LMDB environment", _name(value.path())
        except Exception:  # noqa: BLE001 - its own error: it is closed
            return None
    return ("LMDB transaction", "") if isinstance(value, lmdb.Transaction) else None


def _name(name: Any) -> str:
    return shown_path(os.fspath(name)) if isinstance(name, (str, os.PathLike)) and str(name) else ""
