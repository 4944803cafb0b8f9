"""What several workers drew for the same items in two epochs, compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from dldoctor.evidence.workers import Draws
from dldoctor.probes.behaviour.repeat import Record


def draws(records: list[list[Record]], other: list[list[Record]] | None) -> list[Draws]:
    """Return what was watched, and whether workers and epochs agree in it."""
    every = [record for epoch in records for record in epoch]
    found = [
        _of_values(records, source, path)
        for source in ("field", "pinned")
        for path in every[0]["values"][source]
    ]
    for path in every[0]["generators"]:
        rows = [[record["generators"].get(path, []) for record in epoch] for epoch in records]
        one = _compared("generator", path, rows, by_call=max(len(set(r)) for e in rows for r in e))
        found.append(replace(one, made=path in every[0].get("made", ())))
    for name in every[0]["globals"]:
        rows = [[[record["globals"].get(name, "")] for record in epoch] for epoch in records]
        one = _compared("global", name, rows, by_call=1)
        marks = [record.get("globals", {}).get(name) for record in other[0]] if other else []
        blind = bool(marks) and marks == [row[0] for row in rows[0]]
        found.append(Draws(**{**vars(one), "seed_blind": blind, "chance": 0.0}))
    return found


def _of_values(records: list[list[Record]], source: str, path: str) -> Draws:
    rows = [[record["values"][source].get(path, []) for record in epoch] for epoch in records]
    by_item: dict[str, int] = {}
    for epoch in rows:
        for row in epoch:
            for item in {item for item, _ in row}:
                seen = len({mark for one, mark in row if one == item})
                by_item[item] = max(by_item.get(item, 1), seen)
    # Items that never vary would make agreement look like more than it is.
    varying = {item for item, seen in by_item.items() if seen > 1}
    kept = [[[mark for item, mark in row if item in varying] for row in epoch] for epoch in rows]
    shown = tuple(tuple(record["shown"].get(path, ())[:4]) for epoch in records for record in epoch)
    one = _compared(source, path, kept, by_call=max(by_item.values(), default=1))
    return Draws(**{**vars(one), "shown": shown if source == "field" else ()})


def _compared(source: Any, path: str, rows: list[list[list[str]]], by_call: int) -> Draws:
    length = min((len(row) for epoch in rows for row in epoch), default=0)
    cut = [[row[:length] for row in epoch] for epoch in rows]
    marks = Counter(mark for epoch in cut for row in epoch for mark in row)
    total = sum(marks.values())
    alike = sum((count / total) ** 2 for count in marks.values()) if total else 1.0
    return Draws(
        source=source,
        path=path,
        drawn=total,
        distinct=len(marks),
        by_call=by_call,
        across_workers=length > 0 and all(row == epoch[0] for epoch in cut for row in epoch),
        across_epochs=length > 0 and len(cut) > 1 and all(epoch == cut[0] for epoch in cut),
        chance=min(1.0, alike**length) if length else 1.0,
        shown=tuple(tuple(row[:4]) for epoch in cut for row in epoch)
        if source in ("generator", "global")
        else (),
    )
