"""Reads the headers of the tar archives that the run opened, and groups members into samples."""

from __future__ import annotations

import os
import tarfile
import time
from collections import Counter

from dldoctor.child.session import Session
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.distribution import Tally

ARCHIVES = 64
SECONDS = 5.0
MEMBERS = 200_000
_KEPT = 20


def read_archives(paths: list[str], session: Session) -> None:
    """Send what the headers of `paths` say, within a bound of time."""
    if not paths:
        session.missing("archives", "no tar archive was opened")
        return
    session.evidence("archives", group_members(paths))


class _Members:
    """Members of all archives, by key."""

    def __init__(self) -> None:
        self.fields: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        self.keys: dict[str, dict[str, set[str]]] = {}
        """archive -> key -> fields"""
        self.duplicated: list[str] = []
        self.split: list[str] = []
        self.dotted: list[str] = []
        self.truncated: list[str] = []
        self.members = 0

    def add(self, archive: str, name: str, last: str | None) -> str:
        """Count one member; `last` is the key before it. Return its key."""
        key, field = split_name(name)
        keys = self.keys[archive]
        self.members += 1
        if key in keys and field in keys[key]:
            _keep(self.duplicated, f"{archive}:{key}.{field}")
        elif key in keys and key != last:
            _keep(self.split, f"{archive}:{key}")
        if field not in keys.setdefault(key, set()):
            keys[key].add(field)
            self.fields[field] += 1
            _keep(self.examples.setdefault(field, []), key, 3)
        if "." in field:
            _keep(self.dotted, os.path.basename(name))
        return key


def _keep(kept: list[str], text: str, most: int = _KEPT) -> None:
    if len(kept) < most:
        kept.append(text)


def split_name(name: str) -> tuple[str, str]:
    """Split a member's name as webdataset does: the field begins after the base name's first dot."""
    folder, _, base = name.rpartition("/")
    stem, dot, field = base.partition(".")
    return (f"{folder}/{stem}" if folder else stem), (field.lower() if dot else "")


def group_members(paths: list[str]) -> ArchiveEvidence:
    """Read the headers of archives, at most `ARCHIVES` of them and for `SECONDS`."""
    found = _Members()
    deadline = time.monotonic() + SECONDS
    complete = len(paths) <= ARCHIVES
    for path in paths[:ARCHIVES]:
        complete = _read_one(path, found, deadline) and complete
    per_key: Counter[str] = Counter(key for keys in found.keys.values() for key in keys)
    everywhere = sum(per_key.values())
    expected = {field for field, count in found.fields.items() if count > 0.5 * everywhere}
    missing: dict[str, list[str]] = {}
    incomplete = 0
    for archive, keys in found.keys.items():
        for key, fields in keys.items():
            lacking = expected - fields
            incomplete += bool(lacking)
            for field in lacking:
                missing.setdefault(field, []).append(f"{archive}:{key}")
    return ArchiveEvidence(
        archives=len(found.keys),
        members=found.members,
        keys=everywhere,
        fields=tuple(
            Tally(field, count, tuple(found.examples[field])) for field, count in found.fields.most_common(50)
        ),
        incomplete=tuple(
            Tally(field, len(where), tuple(where[:_KEPT])) for field, where in sorted(missing.items())
        ),
        incomplete_keys=incomplete,
        duplicated=tuple(found.duplicated),
        split=tuple(found.split),
        repeated_keys=tuple(key for key, count in per_key.items() if count > 1)[:_KEPT],
        dotted=tuple(found.dotted),
        truncated=tuple(found.truncated),
        complete=complete,
    )


def _read_one(path: str, found: _Members, deadline: float) -> bool:
    """Read one archive's headers; return whether all were read."""
    name = os.path.basename(path)
    found.keys.setdefault(name, {})
    last: str | None = None
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if found.members >= MEMBERS or time.monotonic() > deadline:
                    return False
                if member.isreg() and not os.path.basename(member.name).startswith("."):
                    last = found.add(name, member.name, last)
            size = os.path.getsize(path)
            if path.endswith(".tar") and archive.offset > size:
                _keep(found.truncated, name)
    except (OSError, EOFError, tarfile.TarError) as error:
        _keep(found.truncated, f"{name} ({type(error).__name__}: {error})")
    return True
