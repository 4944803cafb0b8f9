"""The slots of each row of a batch: runs of placeholders with the items that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dldoctor.evidence.placeholders import PlaceholderRow, Slot
from dldoctor.probes.alignment.placeholders.grids import owners_of
from dldoctor.probes.alignment.placeholders.held import Held, Learned
from dldoctor.probes.alignment.placeholders.matching import Unit, matched
from dldoctor.probes.alignment.placeholders.media import Item, MediaField
from dldoctor.probes.alignment.placeholders.runs import Run

NOWHERE = -1


def rows_of(
    held: Held, field: MediaField | None, learned: Learned, stream: int, limit: int | None = None
) -> list[PlaceholderRow] | None:
    """Return the rows that have placeholders or items; None where an item cannot be counted.

    `limit` is the length at which rows are cut: features that lack a run are sought there first.
    """
    if learned.hypothesis is None or learned.tokens not in held.tables:
        return None
    ids, real = held.tables[learned.tokens], held.real[learned.tokens]
    runs = learned.hypothesis.runs(ids)
    items = field.items if field is not None else ()
    units = learned.hypothesis.units(items)
    if units is None:
        return None
    lengths, ends = _extents(ids, real, runs)
    cut = [_is_cut(ends[row], lengths[row], limit) for row in range(len(ids))]
    own = _with_owners(held, items, len(ids))
    slots = _by_row(_placed(runs, units, own or items, cut))
    if not own and _wrong(slots) and (dealt := _dealt(held, items, len(ids))) is not None:
        # As the samples had them: a row that lost its placeholder does not leave its picture to another row.
        again = _by_row(_placed(runs, units, dealt, cut))
        if _in_sample_order(held, learned.tokens, lengths) or _wrong(again) < _wrong(slots):
            slots = again
    found = []
    for row in sorted(slots):
        sample = held.samples[row] if len(held.samples) == len(ids) and row != NOWHERE else None
        length, (starts, stops) = (lengths[row], ends[row]) if row != NOWHERE else (0, (False, False))
        found.append(
            PlaceholderRow(held.number, row, sample, stream, tuple(slots[row]), length, starts, stops, _source(held, row, len(ids), learned.tokens))
        )  # fmt: skip
    return found


def _by_row(placed: Sequence[tuple[int, Slot]]) -> dict[int, list[Slot]]:
    slots: dict[int, list[Slot]] = {}
    for row, slot in placed:
        slots.setdefault(row, []).append(slot)
    return slots


def _wrong(slots: Mapping[int, Sequence[Slot]]) -> int:
    return sum(not all(slot.fits for slot in held) for held in slots.values())


def _in_sample_order(held: Held, tokens: str, lengths: Sequence[int]) -> bool:
    """Whether most rows are as long as their sample was, and the others shorter, since they were cut."""
    sources = [_source(held, row, len(lengths), tokens) for row in range(len(lengths))]
    same = sum(source == length for source, length in zip(sources, lengths, strict=True))
    none_longer = all(source >= length for source, length in zip(sources, lengths, strict=True))
    return none_longer and 2 * same >= len(lengths)


def _with_owners(held: Held, items: Sequence[Item], rows: int) -> list[Item] | None:
    """Return the items with the row whose sample had their grids; None where the samples' grids are others.

    A row that lost a run then keeps the image of it, and the rows beside it keep theirs.
    """
    if len(held.notes) != rows or any(item.row is not None for item in items):
        return None
    owners = owners_of([note.grids for note in held.notes], [item.grid for item in items])
    if owners is None:
        return None
    return [replace(item, row=row) for item, row in zip(items, owners, strict=True)]


def _dealt(held: Held, items: Sequence[Item], rows: int) -> list[Item] | None:
    """Return the items with the row of the sample that had them; None where samples do not tell."""
    counts = [note.images for note in held.notes]
    if len(counts) != rows or min(counts, default=-1) < 0 or sum(counts) != len(items):
        return None
    if any(item.row is not None for item in items):
        return None
    owners = [row for row, count in enumerate(counts) for _ in range(count)]
    return [replace(item, row=row) for item, row in zip(items, owners, strict=True)]


def _source(held: Held, row: int, rows: int, tokens: str) -> int:
    """Return how many tokens the sample of a row had, where samples have the tokens."""
    if row == NOWHERE or len(held.notes) != rows:
        return -1
    return int(held.notes[row].lengths.get(tokens, -1))


def _extents(ids: Any, real: Any, runs: Sequence[Run]) -> tuple[list[int], list[tuple[bool, bool]]]:
    """Return real tokens of each row, and whether a run stands at the first and at the last of them."""
    inside: dict[int, list[Run]] = {}
    for run in runs:
        inside.setdefault(run.row, []).append(run)
    lengths, ends = [], []
    for row in range(ids.shape[0]):
        places = real[row].nonzero().flatten()
        first, last = (int(places[0]), int(places[-1])) if len(places) else (-1, -1)
        held = inside.get(row, [])
        starts = any(run.at <= first < run.at + run.length for run in held) and first >= 0
        stops = any(run.at <= last < run.at + run.length for run in held) and last >= 0
        lengths.append(len(places))
        ends.append((starts, stops))
    return lengths, ends


def _is_cut(ends: tuple[bool, bool], length: int, limit: int | None) -> bool:
    return ends[1] or (limit is not None and length >= limit)


def _placed(
    runs: Sequence[Run], units: Sequence[Unit], items: Sequence[Any], cut: Sequence[bool]
) -> list[tuple[int, Slot]]:
    """Return each slot with its row."""
    by_row = bool(items) and all(item.row is not None for item in items)
    if not by_row:
        return _in_order(runs, units, cut, None)
    found = []
    rows = sorted({run.row for run in runs} | {item.row for item in items})
    for row in rows:
        own = [run for run in runs if run.row == row]
        found += _in_order(own, [unit for unit in units if items[unit.item].row == row], cut, row)
    return found


def _in_order(
    runs: Sequence[Run], units: Sequence[Unit], cut: Sequence[bool], only: int | None
) -> list[tuple[int, Slot]]:
    pairs = matched([run.length for run in runs], units)
    found: list[tuple[int, Slot]] = []
    before = 0
    for place, pair in enumerate(pairs):
        own = [units[one] for one in pair.units]
        if pair.runs:
            first = runs[pair.runs[0]]
            before = first.row
            length = sum(runs[one].length for one in pair.runs)
            found.append((first.row, Slot(first.at, length, sum(u.size for u in own), _items(own))))
        elif not all(unit.optional for unit in own):
            row = only if only is not None else _row_without_run(runs, pairs[place + 1 :], before, cut)
            found.append((row, Slot(-1, 0, sum(u.size for u in own), _items(own))))
    return found


def _items(units: Sequence[Unit]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(unit.item for unit in units))


def _row_without_run(runs: Sequence[Run], later: Sequence[Any], before: int, cut: Sequence[bool]) -> int:
    """Return the row that lacks a run: between two runs of one row, or the one that was cut; else nobody knows."""
    after = next((runs[pair.runs[0]].row for pair in later if pair.runs), len(cut) - 1)
    between = range(before, after + 1)
    if len(between) == 1:
        return before
    short = [row for row in between if cut[row]]
    return short[0] if short else NOWHERE
