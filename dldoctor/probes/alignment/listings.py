"""Lists that name files and say something of each: tables, JSON, lines; as records of texts by column."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".txt", ".lst", ".token")
LARGEST_BYTES = 32 * 1024 * 1024
RECORDS = 100_000
IN_A_FOLDER = 8
"""More lists than this in one folder are texts of single files."""
ABOVE = 2
"""Folders above a file that are looked through."""
DELIMITERS = "\t|,;"
TRIED = 20

Record = dict[str, str]
"""Column, key or place to text."""


def lists_beside(files: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return the lists in the folders of files and above them, and those that are named; the nearest first."""
    folders: dict[str, None] = {}
    for path in files:
        folder = os.path.dirname(path)
        for _ in range(ABOVE + 1):
            folders[folder] = None
            folder = os.path.dirname(folder)
    found = dict.fromkeys(path for path in named if _is_list(path))
    for folder in islice(sorted(folders, key=len, reverse=True), 16):
        try:
            with os.scandir(folder) as entries:
                own = sorted(one.path for one in islice(entries, RECORDS) if _is_list(one.path))
        except OSError:
            continue
        if len(own) <= IN_A_FOLDER:
            found |= dict.fromkeys(own)
    return list(found)


def _is_list(path: str) -> bool:
    try:
        return path.lower().endswith(ENDINGS) and 0 < os.path.getsize(path) <= LARGEST_BYTES
    except OSError:
        return False


def records(path: str) -> list[Record]:
    """Return what a list holds, a record a row; empty where it cannot be read as one."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return []
    ending = os.path.splitext(path)[1].lower()
    try:
        if ending == ".json":
            return list(islice(_of_json(json.loads(text)), RECORDS))
        if ending == ".jsonl":
            lines = islice(filter(str.strip, text.splitlines()), RECORDS)
            return [one for line in lines if (one := _flat(json.loads(line)))]
    except (ValueError, RecursionError):
        return []
    return _of_table(text)


def _of_table(text: str) -> list[Record]:
    lines = text.splitlines()
    for mark in DELIMITERS:
        # Only with commas and semicolons are cells quoted as a rule; a caption may begin with a quote.
        quote = '"' if mark in ",;" else None
        try:
            reader = csv.reader(
                lines, delimiter=mark, quotechar=quote, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
            )
            rows = list(islice(reader, RECORDS))
        except csv.Error:
            continue
        widths = {len(row) for row in rows[:TRIED] if row}
        if widths and min(widths) >= 2 and (len(widths) == 1 or mark == "\t"):
            return [{str(place): cell.strip() for place, cell in enumerate(row)} for row in rows if row]
    return []


def _of_json(data: Any) -> Iterator[Record]:
    if isinstance(data, Mapping):
        images = data.get("images")
        if isinstance(images, list) and isinstance(data.get("annotations"), list):
            yield from _of_coco(images, data["annotations"])
            return
        tables = [
            one for one in data.values() if isinstance(one, list) and one and isinstance(one[0], Mapping)
        ]
        for rows in tables:
            yield from map(_flat, rows)
        if not tables:
            yield from ({"key": str(key), **_flat(value)} for key, value in data.items())
    elif isinstance(data, list):
        yield from map(_flat, data)


def _of_coco(images: list[Any], annotations: list[Any]) -> Iterator[Record]:
    names = {one.get("id"): one.get("file_name") for one in images if isinstance(one, Mapping)}
    for one in annotations:
        if isinstance(one, Mapping) and isinstance(name := names.get(one.get("image_id")), str):
            yield {**_flat(one), "file_name": name}


def _flat(value: Any, at: str = "", depth: int = 0) -> Record:
    """Return the texts of a record by their place in it."""
    if isinstance(value, str):
        return {at or "value": value.strip()}
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value[:TRIED])
    if depth > 3:
        return {}
    return {
        name: text
        for key, inner in parts
        for name, text in _flat(inner, f"{at}.{key}" if at else str(key), depth + 1).items()
    }


def plain(text: str) -> str:
    """Return a text as it is compared: in small letters, spaces counted once."""
    return " ".join(text.casefold().split())
