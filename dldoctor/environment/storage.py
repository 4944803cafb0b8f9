"""Storage below the data: which it is, and how fast a bounded part of it is read, cold and warm."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path

from dldoctor.evidence.environment import StorageEvidence
from dldoctor.page_cache import evict

MOST_BYTES = 48 * 2**20
MOST_S = 1.5
"""For each of the four measurements of one folder."""
MOST_FOLDERS = 3
MOST_FILES = 64
BLOCK, PIECE = 2**20, 64 * 1024
NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "lustre",
    "ceph",
    "gpfs",
    "beegfs",
    "glusterfs",
    "fuse.",
    "9p",
    "virtiofs",
    "afs",
)
IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")


def storage_of(paths: Sequence[str]) -> tuple[StorageEvidence, ...]:
    """Return a measurement for each folder that holds some of the files, the fullest first."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        file = Path(path)
        if file.is_file():
            folders.setdefault(str(file.absolute().parent), []).append(path)
    fullest = sorted(folders.items(), key=lambda item: -len(item[1]))[:MOST_FOLDERS]
    return tuple(_measure(folder, files[:MOST_FILES]) for folder, files in fullest)


def _measure(folder: str, files: list[str]) -> StorageEvidence:
    kind, device = mount_of(folder)
    in_memory = kind in IN_MEMORY
    note = "the file system lies in memory" if in_memory else ""
    cold = cold_reads = None
    part, total = _part(files)
    if not in_memory:
        if evict(part):
            cold = _sequential(part)
            cold_reads = _random(part) if evict(part) else None
        else:
            note = "the page cache could not be emptied of these files, so only warm reads were measured"
    _sequential(part)
    return StorageEvidence(
        path=folder,
        filesystem=kind,
        device=device,
        network=kind.startswith(NETWORK),
        files=len(part),
        bytes=total,
        cold_bytes_per_s=cold,
        warm_bytes_per_s=_sequential(part),
        cold_reads_per_s=cold_reads,
        warm_reads_per_s=_random(part),
        note=note,
    )


def mount_of(folder: str, table: Path = Path("/proc/self/mountinfo")) -> tuple[str, str]:
    """Return file system and device of the mount that a folder lies on."""
    best, found = -1, ("", "")
    with contextlib.suppress(OSError):
        for line in table.read_text(encoding="utf-8", errors="replace").splitlines():
            left, _, right = line.partition(" - ")
            point, kind = left.split()[4].replace("\\040", " "), right.split()
            inside = folder == point or folder.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= best and len(kind) >= 2:
                best, found = len(point), (kind[0], kind[1])
    return found


def _part(files: Sequence[str]) -> tuple[list[tuple[str, int]], int]:
    """Return files with the bytes of each that are read, within the bound."""
    chosen, total = [], 0
    for path in files:
        with contextlib.suppress(OSError):
            size = min(Path(path).stat().st_size, MOST_BYTES - total)
            if size > 0:
                chosen.append((path, size))
                total += size
    return chosen, total


def _sequential(part: Sequence[tuple[str, int]]) -> float | None:
    read, started = 0, time.perf_counter()
    for path, size in part:
        with contextlib.suppress(OSError), Path(path).open("rb", buffering=0) as file:
            left = size
            while left > 0 and (block := file.read(min(BLOCK, left))):
                left -= len(block)
                read += len(block)
                if time.perf_counter() - started > MOST_S:
                    return read / (time.perf_counter() - started)
    elapsed = time.perf_counter() - started
    return read / elapsed if read and elapsed > 0 else None


def _random(part: Sequence[tuple[str, int]]) -> float | None:
    places = [(path, offset) for path, size in part for offset in range(0, size, PIECE)]
    random.Random(0).shuffle(places)  # noqa: S311 - the order of reads
    done, started = 0, time.perf_counter()
    for path, offset in places[:2000]:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                done += bool(os.pread(descriptor, PIECE, offset))
            finally:
                os.close(descriptor)
        if time.perf_counter() - started > MOST_S:
            break
    elapsed = time.perf_counter() - started
    return done / elapsed if done and elapsed > 0 else None
