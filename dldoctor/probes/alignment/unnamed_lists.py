"""Lists without names: the texts go with numbered files by their order, and there are two orders of numbered files.

A listing that is sorted as text has 10 before 2. Where each sample has the line of its file's place in that
order, and the list has a line a file, the files were meant to be counted.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dldoctor.probes.alignment.listings import LARGEST_BYTES, RECORDS, plain

ENDINGS = (".txt", ".lst", ".text")


class TwoOrders(NamedTuple):
    """The place of each file of a folder, counted and as text."""

    counted: dict[str, int]
    as_text: dict[str, int]


def two_orders(files: Iterable[str]) -> TwoOrders | None:
    """Return both orders of a folder of numbered files; null where they are one, or there is no such folder."""
    opened = list(files)
    folders = {(os.path.dirname(path), os.path.splitext(path)[1]) for path in opened}
    if len(folders) != 1:
        return None
    ((folder, ending),) = folders
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.name.endswith(ending)][:RECORDS]
    except OSError:
        return None
    numbers = {name: re.fullmatch(r"(\D*)(\d+)(\D*)", name) for name in names}
    if None in numbers.values() or len({found[1] for found in numbers.values() if found}) != 1:
        return None
    counted = sorted(names, key=lambda name: int(numbers[name][2]))  # type: ignore[index]  # none is null
    as_text = sorted(names)
    if counted == as_text:
        return None
    return TwoOrders(
        *({os.path.join(folder, name): at for at, name in enumerate(one)} for one in (counted, as_text))
    )


def places_of_lines(path: str, files: int) -> Mapping[str, set[int]]:
    """Return each line's places in a list that has a line a file; empty for another list."""
    if not path.lower().endswith(ENDINGS):
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [plain(line) for line in file.read(LARGEST_BYTES).splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError):
        return {}
    found: dict[str, set[int]] = defaultdict(set)
    for at, line in enumerate(lines if len(lines) == files else ()):
        found[line].add(at)
    return found


def sorted_as_text(
    pairs: Sequence[tuple[str, Sequence[str]]], orders: TwoOrders, lines: Mapping[str, set[int]]
) -> list[int | None]:
    """Return, for each file with its texts, the place of its line in the list where counting has another there.

    Empty unless every text that the list has stands at the place of its file as text.
    """
    found: list[int | None] = []
    for path, texts in pairs:
        at = next((lines[text] for text in texts if text in lines), set())
        if not at or path not in orders.counted:
            found.append(None)
            continue
        if orders.as_text[path] not in at:
            return []
        found.append(None if orders.counted[path] in at else orders.as_text[path])
    return found
