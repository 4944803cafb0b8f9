"""How far batches are from the mix of the whole, and how unevenly work falls on ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from dldoctor.evidence.coverage import Mix, Work
from dldoctor.probes.sharding.mix import STRETCH, noted
from dldoctor.probes.sharding.ranks import Ended

WINDOW = STRETCH
"""Batches in a row."""
WINDOWS = 3
"""Fewer say nothing."""
MOST_VALUES = 64
REPEATS = 4
"""A kind has so many samples on average, or it is a name and no kind."""

Rows = dict[int, list[dict[str, Any]]]
"""Rank to its batches."""


def rows_of(ran: list[Ended]) -> Rows:
    """Return what the ranks noted of their batches."""
    found = {one.rank: noted(one.folder, one.result["spec"]["num_workers"]) for one in ran}
    return {rank: rows for rank, rows in found.items() if rows}


def mixes(rows: Rows) -> tuple[Mix, ...]:
    """Return one entry for each field that says what kind of sample it is."""
    paths = dict.fromkeys(
        path for own in rows.values() for row in own for one in row["kinds"] for path in one
    )
    return tuple(found for path in paths if (found := _mix(rows, path)) is not None)


def _mix(rows: Rows, path: str) -> Mix | None:
    """Compare batches, runs of batches and ranks with the whole; null where they are too few to say."""
    batches = {rank: [_counts(row["kinds"], path) for row in own] for rank, own in rows.items()}
    whole = _sum(counts for own in batches.values() for counts in own)
    total = sum(whole.values())
    if not 2 <= len(whole) <= MOST_VALUES or total < REPEATS * len(whole) or total - max(whole.values()) < 16:
        return None
    runs = _runs(rows)
    windows = [_sum(_counts(row["kinds"], path) for row in part) for run in runs for part in _windows(run)]
    in_next, pairs = _next_alike(runs, path, whole)
    if len(windows) < WINDOWS:
        return None
    ranks = [_sum(own) for own in batches.values()]
    return Mix(
        field=path,
        values=len(whole),
        samples=total,
        batches=sum(map(len, batches.values())),
        window=WINDOW,
        windows=len(windows),
        in_batch=_apart((counts for own in batches.values() for counts in own), whole),
        in_next=in_next,
        chance=_by_chance(whole, pairs),
        in_rank=_apart(ranks, whole) if len(ranks) > 1 else None,
        values_in_window=sum(len(one) for one in windows) / len(windows),
        values_expected=sum(_expected(sum(one.values()), whole) for one in windows) / len(windows),
        first=tuple(
            ", ".join(f"{count} of {value}" for value, count in one.most_common(3))
            for one in batches[min(batches)][:WINDOW]
        ),
    )


def _counts(kinds: list[dict[str, str]], path: str) -> Counter[str]:
    return Counter(one[path] for one in kinds if path in one)


def _sum(parts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in parts:
        total.update(one)
    return total


def _runs(rows: Rows) -> list[list[dict[str, Any]]]:
    """Return the batches that one worker made one after the other, of a map-style loader that it delivers."""
    found = []
    for own in rows.values():
        by_worker: dict[int, list[dict[str, Any]]] = {}
        for row in own:
            by_worker.setdefault(row["worker"], []).append(row)
        found += list(by_worker.values())
    return found


def _windows(run: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [run[start : start + WINDOW] for start in range(0, len(run) - WINDOW + 1, WINDOW)]


def _next_alike(runs: list[list[dict[str, Any]]], path: str, whole: Counter[str]) -> tuple[float, int]:
    """Return how much a batch is like the next one, 0 as by chance and 1 the same value; and of how many pairs."""
    shares = []
    for run in runs:
        # A map-style loader is read in stretches: the end of one is not followed by the next.
        apart = min((b["step"] - a["step"] for a, b in pairwise(run)), default=1)
        for a, b in pairwise(run):
            one, other = _counts(a["kinds"], path), _counts(b["kinds"], path)
            size = sum(one.values()) * sum(other.values())
            if size and b["step"] - a["step"] == apart:
                shares.append(sum(count * other[value] for value, count in one.items()) / size)
    by_chance = _alike_by_chance(whole)
    return (sum(shares) / len(shares) - by_chance) / (1 - by_chance) if shares else 0.0, len(shares)


def _by_chance(whole: Counter[str], pairs: int) -> float:
    """Return the standard error of that number if batches of one value each came in an order at random."""
    by_chance = _alike_by_chance(whole)
    return (by_chance / ((1 - by_chance) * pairs)) ** 0.5 if pairs else 1.0


def _alike_by_chance(whole: Counter[str]) -> float:
    total = sum(whole.values())
    return sum(count * (count - 1) for count in whole.values()) / (total * (total - 1))


def _apart(groups: Iterable[Counter[str]], whole: Counter[str]) -> float:
    """Return 0 where groups are mixed as if drawn at random from the whole, 1 where each has one value."""
    together = pairs = 0
    for one in groups:
        size = sum(one.values())
        together += sum(count * (count - 1) for count in one.values())
        pairs += size * (size - 1)
    by_chance = _alike_by_chance(whole)
    return max(0.0, (together / pairs - by_chance) / (1 - by_chance)) if pairs else 0.0


def _expected(size: int, whole: Counter[str]) -> float:
    """Return how many different values so many samples drawn at random would have."""
    total = sum(whole.values())
    return sum(1 - (1 - count / total) ** size for count in whole.values())


def work(rows: Rows) -> Work | None:
    """Return how much each rank has to do in a step, by the field with most elements."""
    if len(rows) < 2:
        return None
    sizes: Counter[str] = Counter()
    for own in rows.values():
        for row in own:
            sizes.update(row["work"])
    if not sizes:
        return None
    field = sizes.most_common(1)[0][0]
    by_rank = {rank: {row["step"]: row["work"].get(field, 0) for row in own} for rank, own in rows.items()}
    steps = sorted(set.intersection(*(set(own) for own in by_rank.values())))
    if len(steps) < WINDOW:
        return None
    table = [[own[step] for step in steps] for _, own in sorted(by_rank.items())]
    slowest = sum(max(column) for column in zip(*table, strict=True))
    means = [sum(row) / len(steps) for row in table]
    spreads = [
        sum((one - mean) ** 2 for one in row) / (len(steps) - 1)
        for row, mean in zip(table, means, strict=True)
    ]
    return Work(
        field=field,
        steps=len(steps),
        waiting=1 - sum(map(sum, table)) / (len(table) * slowest) if slowest else 0.0,
        per_rank=tuple(means),
        errors=tuple((one / len(steps)) ** 0.5 for one in spreads),
    )
