"""Rows that datasets hold for their items (files, texts, arrays), compared without reading an item."""

from __future__ import annotations

import os
import time
from collections import UserDict
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from dldoctor.evidence.overlap import SharedItems
from dldoctor.foreign import attribute
from dldoctor.probes.digest import digest
from dldoctor.probes.overlap.places import Places, is_column, length_of
from dldoctor.probes.overlap.telling import tells
from dldoctor.probes.repeated import CHARACTERS
from dldoctor.roles.flatten import leaves

SECONDS = 4.0
LOOKED = 48
"""Rows of a side by which it is told what a column holds."""
MOST = 0.9
UNIQUE = 0.98
"""Share of the rows of a side that must be different: a file that serves many items is no item."""
BRIEF = 60
INSIDE = 16
Kind = Literal["path", "content", "text", "word"]
Column = Sequence[Any]
Rows = list[tuple[Any, ...] | None]


class Stored(NamedTuple):
    """What the rows tell."""

    shared: SharedItems | None
    candidates: list[tuple[Any, Any]]
    """Items of both sides whose rows have the same names: they may be the same."""
    compared: tuple[str, ...] = ()
    """Attributes whose rows were compared to their end."""


def stored_rows(first: Places, second: Places) -> Stored:
    """Compare the rows of two loaders."""
    columns = [_columns(side) for side in (first, second)]
    names = [name for name in columns[0] if name in columns[1]]
    kinds: dict[str, Kind] = {}
    for name in names:
        found = {_kind(columns[side][name], place.at) for side, place in enumerate((first, second))}
        kind = found.pop() if len(found) == 1 else None
        if kind is not None:
            kinds[name] = kind
    if not kinds or set(kinds.values()) == {"word"}:
        return Stored(None, _same_words(columns, (first, second), list(kinds)))
    until = time.monotonic() + SECONDS
    keys = [
        _keys(columns[side], place, kinds, until - SECONDS * (1 - side) / 2)
        for side, place in reversed(list(enumerate((first, second))))
    ][::-1]
    whole = all(len(rows) == len(side.at) for rows, side in zip(keys, (first, second), strict=True))
    unique = all(_tell_apart(rows) for rows in keys)
    if not unique:
        return Stored(None, [])
    compared = tuple(name for name, kind in kinds.items() if kind != "word") if whole else ()
    return Stored(_matched(first, second, keys, kinds), [], compared)


def _columns(side: Places) -> dict[str, list[Column]]:
    """Return, by name, the column of each innermost dataset; those that all of them have."""
    each = [dict(_of(leaf)) for leaf in side.leaves]
    return (
        {name: [one[name] for one in each] for name in each[0] if all(name in one for one in each)}
        if each
        else {}
    )


def _of(leaf: Any) -> Iterator[tuple[str, Column]]:
    count = length_of(leaf)
    if count is None:
        return
    for name, value in list(attribute(leaf, "__dict__", {}).items()):
        if _fits(value, count):
            yield name, value
        elif isinstance(value, dict | UserDict) or type(value).__name__ == "DataFrame":
            yield from _inside(name, list(value.items())[:INSIDE], count)
        elif isinstance(value, list | tuple) and len(value) <= INSIDE:
            yield from _inside(name, list(enumerate(value)), count)


def _inside(name: str, parts: list[tuple[Any, Any]], count: int) -> Iterator[tuple[str, Column]]:
    for key, part in parts:
        column = part.to_numpy() if type(part).__name__ == "Series" else part
        if _fits(column, count):
            yield f"{name}[{key}]", column


def _fits(value: Any, count: int) -> bool:
    return is_column(value) and count > 1 and length_of(value) == count


def _row(columns: list[Column], leaf: int, place: Any) -> Any:
    try:
        return columns[leaf][place]
    except Exception:  # noqa: BLE001 - the user's list
        return None


def _kind(columns: list[Column], at: list[tuple[int, Any]]) -> Kind | None:
    """Return what a column holds; None where it tells nothing of its rows."""
    step = max(1, len(at) // LOOKED)
    rows = [_row(columns, leaf, place) for leaf, place in at[::step][:LOOKED]]
    if not rows:
        return None
    texts = [_texts(row) for row in rows]
    if sum(any(os.path.exists(text) for text in one) for one in texts) >= MOST * len(rows):
        return "path"
    if sum(any(len(t) >= CHARACTERS and " " in t for t in one) for one in texts) >= MOST * len(rows):
        return "text"
    if all(texts):
        return "word"
    arrays = [any(tells(part) for _, part in leaves(row)) for row in rows]
    return "content" if sum(arrays) >= MOST * len(rows) else None


def _texts(row: Any) -> list[str]:
    if isinstance(row, str):  # the usual rows need no walk
        return [row] if row else []
    plain = isinstance(row, tuple) and all(isinstance(part, str | int) for part in row)
    parts = row if plain else [part for _, part in leaves(row)]
    return [text for part in parts if isinstance(part, str | os.PathLike) and (text := str(part))]


def _keys(columns: dict[str, list[Column]], side: Places, kinds: dict[str, Kind], until: float) -> Rows:
    """Return what identifies each item, in the order of the side; it ends where the time is up."""
    found: Rows = []
    for number, (leaf, place) in enumerate(side.at):
        if number % 64 == 0 and time.monotonic() > until:
            break
        parts, strong = [], False
        for name, kind in kinds.items():
            row = _row(columns[name], leaf, place)
            if kind == "content":
                strong = strong or any(tells(part) for _, part in leaves(row))
                parts.append(tuple(digest(part) for _, part in leaves(row)))
            else:
                parts.append(_words(row))
                strong = strong or kind in ("path", "text")
        found.append(tuple(parts) if strong else None)
    return found


def _words(row: Any) -> tuple[str, ...]:
    """Return the texts of a row, and its numbers where they say more than a class: a window of a picture."""
    if isinstance(row, str):
        return (os.path.normpath(row),)
    numbers = [str(part) for _, part in leaves(row) if isinstance(part, int | float)]
    return (*map(os.path.normpath, _texts(row)), *(numbers if len(numbers) > 1 else ()))


def _tell_apart(rows: Rows) -> bool:
    known = [key for key in rows if key is not None]
    return bool(known) and len(set(known)) >= UNIQUE * len(known)


def _matched(first: Places, second: Places, keys: list[Rows], kinds: dict[str, Kind]) -> SharedItems | None:
    owners: dict[tuple[Any, ...], Any] = {}
    for index, key in zip(first.indices, keys[0], strict=False):
        if key is not None:
            owners.setdefault(key, index)
    pairs = [
        (owners[key], index)
        for index, key in zip(second.indices, keys[1], strict=False)
        if key is not None and key in owners
    ]
    if not pairs:
        return None
    named = tuple(name for name, kind in kinds.items() if kind != "word")
    told = [place for place, kind in enumerate(kinds.values()) if kind in ("path", "text")]
    shared = [key for key in keys[1] if key is not None and key in owners]
    texts = [text for key in shared for place in told[:1] for text in key[place][:1]]
    only_text = all(kinds[name] == "text" for name in named)
    return SharedItems(
        "stored",
        count=len(pairs),
        looked=(len(keys[0]), len(keys[1])),
        pairs=tuple(pairs[:10]),
        fields=named,
        example=next(iter(texts), "")[:120],
        brief=only_text and max(map(len, texts), default=0) < BRIEF,
    )


def _same_words(
    columns: list[dict[str, list[Column]]], sides: tuple[Places, Places], names: list[str]
) -> list[tuple[Any, Any]]:
    """Return items whose rows hold the same words."""
    if not names:
        return []
    owners: dict[Any, Any] = {}
    found = []
    until = time.monotonic() + SECONDS
    for number, side in enumerate(sides):
        for index, (leaf, place) in zip(side.indices, side.at, strict=True):
            if time.monotonic() > until - (1 - number) * SECONDS / 2:
                break
            key = tuple(tuple(_texts(_row(columns[number][name], leaf, place))) for name in names)
            if number == 0:
                owners.setdefault(key, index)
            elif key in owners:
                found.append((owners[key], index))
    return found
