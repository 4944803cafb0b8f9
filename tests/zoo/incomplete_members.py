"""Tar shards with a dot inside the name of a sample: the key ends at the first one."""

from __future__ import annotations

import atexit
import io
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset


def shard(names: Iterable[str], fields: tuple[str, ...] = ("bin", "txt")) -> Path:
    """Write one small shard with the members of these samples, in this order."""
    folder = Path(tempfile.mkdtemp(prefix="shards-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "shard-000000.tar"
    with tarfile.open(path, "w") as archive:
        for number, name in enumerate(names):
            for field in fields:
                text = f"{field} number {number} of this shard".encode()
                member = tarfile.TarInfo(f"{name}.{field}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text))
    return path


class Shard(IterableDataset[dict[str, Any]]):
    """Members in a row that share a key make a sample; one without both fields is skipped."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        key, sample = "", dict[str, bytes]()
        with tarfile.open(self.path) as archive:
            for member in archive:
                folder, _, base = member.name.rpartition("/")
                stem, _, field = base.partition(".")
                if f"{folder}/{stem}" != key:
                    yield from self.whole(key, sample)
                    key, sample = f"{folder}/{stem}", {}
                extracted = archive.extractfile(member)
                sample[field] = extracted.read() if extracted else b""
        yield from self.whole(key, sample)

    def whole(self, key: str, sample: dict[str, bytes]) -> Iterator[dict[str, Any]]:
        """Yield the sample if it has what is needed."""
        if "bin" in sample and "txt" in sample:
            codes = list(sample["bin"].ljust(40, b"."))
            yield {"key": key, "codes": torch.tensor(codes), "text": sample["txt"].decode()}


def broken() -> DataLoader[Any]:
    """Every fourth name has a version number in it, and those samples are skipped."""
    return DataLoader(Shard(shard(f"a{n}" if n % 4 else f"a{n}.v2" for n in range(24))), batch_size=6)


def fixed() -> DataLoader[Any]:
    """The version is joined by an underscore."""
    return DataLoader(Shard(shard(f"a{n}" if n % 4 else f"a{n}_v2" for n in range(24))), batch_size=6)


def broken_apart() -> DataLoader[Any]:
    """In the second half all members of one field come before those of the other."""
    late = [f"b{n}" for n in range(12)]
    parts = (shard(f"a{n}" for n in range(12)), shard(late, fields=("bin",)), shard(late, fields=("txt",)))
    whole = parts[0].with_name("shard-000001.tar")
    with tarfile.open(whole, "w") as joined:
        for part in parts:
            with tarfile.open(part) as archive:
                for member in archive:
                    joined.addfile(member, archive.extractfile(member))
    return DataLoader(Shard(whole), batch_size=6)


def healthy_folders_with_dots() -> DataLoader[Any]:
    """Dots in folder names are no part of the key."""
    return DataLoader(Shard(shard(f"release.1.{n % 3}/a{n}" for n in range(24))), batch_size=6)


def healthy_longer_fields() -> DataLoader[Any]:
    """A third field whose name has a dot, in every sample."""
    names = [f"a{n}" for n in range(24)]
    return DataLoader(Shard(shard(names, fields=("bin", "txt", "seg.bin"))), batch_size=6)
