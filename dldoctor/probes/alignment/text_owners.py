"""Which files a list on disk has each text for."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from dldoctor.probes.alignment.listings import Record, plain, records
from dldoctor.probes.alignment.text_columns import FEWEST

COMMON = 0.25
"""A text that so many files have says nothing of one of them."""
SECONDS = 3.0
HEAD = 100
"""Records by which the columns are known."""


class TextOwners(NamedTuple):
    """What one list says of the texts that were asked for."""

    path: str
    named: set[str]
    """Stems of the files that it names."""
    owners: dict[str, set[str]]
    """Text to the stems of the files that have it; texts that very many have are left out."""


def stem_of(name: str) -> str:
    """Return the name of a file without folder and ending; lists of captions number those of a file by ``#``."""
    return os.path.splitext(os.path.basename(name.split("#", 1)[0].strip()))[0].casefold()


def owners_of(
    paths: Iterable[str], files: Collection[str], texts: Collection[str], least: float
) -> Iterator[TextOwners]:
    """Yield the lists of which a column names so many `files` (by their stems), with the owners of `texts`."""
    until = time.monotonic() + SECONDS
    for path in paths:
        if time.monotonic() > until:
            return
        rows = records(path)
        naming = _naming(rows, files, least)
        if not naming:
            continue
        named, owners = set[str](), defaultdict[str, set[str]](set)
        for row in rows:
            stem = next((stem_of(row[name]) for name in naming if name in row), "")
            named.add(stem)
            for name, cell in row.items():
                if stem and name not in naming and (text := plain(cell)) in texts:
                    owners[text].add(stem)
        most = max(1, COMMON * len(named))
        yield TextOwners(path, named, {text: own for text, own in owners.items() if len(own) <= most})


def _naming(rows: list[Record], files: Collection[str], least: float) -> list[str]:
    """Return the columns that name the files: the name itself, and an id that is made of it."""
    found: Counter[str] = Counter()
    for column in dict.fromkeys(name for row in rows[:HEAD] for name in row):
        found[column] = len({stem_of(row[column]) for row in rows if column in row}.intersection(files))
    return [name for name, count in found.items() if count >= max(FEWEST, least)]
