"""What is open is recognised by what it is."""

from __future__ import annotations

import io
import mmap
import multiprocessing
import os
import socket
import sqlite3
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from dldoctor.probes.behaviour.open_things import open_things
from dldoctor.probes.behaviour.provoke import Slow, provoke


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "plain.bin").write_bytes(bytes(64))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x", "text")
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "plain.bin", "x")
    return tmp_path


def kinds(**held: object) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one, _ in open_things([("d", SimpleNamespace(**held))])]


def test_each_kind_is_named(files: Path) -> None:
    """Files inside of an archive are not told a second time."""
    with (
        open(files / "plain.bin", "rb") as plain,
        zipfile.ZipFile(files / "a.zip") as packed,
        tarfile.open(files / "a.tar") as tarred,
        socket.socket() as connection,
    ):
        database = sqlite3.connect(":memory:")
        found = kinds(plain=plain, packed=packed, tarred=tarred, connection=connection, database=database)
        database.close()
    assert found == [
        ("d.plain", "open file"),
        ("d.packed", "zip archive"),
        ("d.tarred", "tar archive"),
        ("d.connection", "socket"),
        ("d.database", "SQLite connection"),
    ]


def test_what_processes_may_share_is_left_out(files: Path) -> None:
    """Closed files, memory, maps, logs, and numbers that are no descriptors."""
    with open(files / "plain.bin", "rb") as plain, open(files / "log", "a") as log:
        mapped = mmap.mmap(plain.fileno(), 64, access=mmap.ACCESS_READ)
        memory = io.BytesIO(b"x")
        found = kinds(mapped=mapped, memory=memory, log=log, fd=1, width=plain.fileno())
        mapped.close()
    assert found == []
    assert kinds(plain=plain) == []


def test_a_descriptor_is_known_by_its_name(files: Path) -> None:
    """An open number under another name is a number."""
    descriptor = os.open(files / "plain.bin", os.O_RDONLY)
    assert kinds(_data_fd=descriptor) == [("d._data_fd", "raw descriptor")]
    os.close(descriptor)
    assert kinds(_data_fd=descriptor) == []


def test_pauses_change_nothing_that_is_read(files: Path) -> None:
    """The file that waits after each seek is still the file."""
    with open(files / "plain.bin", "rb") as plain, zipfile.ZipFile(files / "a.zip") as packed:
        held = SimpleNamespace(plain=plain, packed=packed)
        assert provoke([("d", held)]) == ("d.packed", "d.plain")
        assert isinstance(held.plain, Slow)
        assert (held.plain.seek(60), held.plain.read(), packed.read("x")) == (60, bytes(4), b"text")


def test_shared_memory_is_there_to_be_shared() -> None:
    """The arena behind a `multiprocessing.Value` is a file that has no name any more."""
    value = multiprocessing.get_context("spawn").Value("q", 0)
    assert open_things([("dataset.epoch", value)]) == []
