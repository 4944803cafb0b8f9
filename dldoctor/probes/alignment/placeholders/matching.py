"""Which run of placeholders belongs to which item, at the least cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

SKIP = 1.001
"""A little more than two lengths that differ, so that swapped items are told as swapped."""
JOIN = 0.001
NEARER = 0.0004
DUMMY = 0.01
MOST_CELLS = 1 << 18
"""Beyond that, runs and units are compared one to one."""


class Unit(NamedTuple):
    """What one run is expected to hold."""

    size: int
    item: int
    optional: bool = False
    """A dummy: it may go without a run."""
    splits: bool = False
    """Several runs may share it (tiles, frames)."""


class Pair(NamedTuple):
    """Runs and units that belong together."""

    runs: tuple[int, ...]
    units: tuple[int, ...]


def matched(runs: Sequence[int], units: Sequence[Unit]) -> list[Pair]:
    """Return pairs in order; one without runs or without units has no counterpart."""
    if sorted(runs) == sorted(unit.size for unit in units):
        return _one_to_one(runs, units)  # all there, in whatever order
    head = _alike(runs, units)
    tail = _alike(runs[head:][::-1], units[head:][::-1])
    inner, rest = runs[head : len(runs) - tail], units[head : len(units) - tail]
    found = [Pair((at,), (at,)) for at in range(head)]
    found += _moved(_cheapest(inner, rest), head)
    ends = zip(range(len(runs) - tail, len(runs)), range(len(units) - tail, len(units)), strict=True)
    return _absorbed([*found, *(Pair((run,), (unit,)) for run, unit in ends)], runs, units)


def _absorbed(pairs: Sequence[Pair], runs: Sequence[int], units: Sequence[Unit]) -> list[Pair]:
    """Give a run that fits nothing the units beside it that have no run, as long as it comes nearer to them."""
    found: list[Pair] = []
    for pair in pairs:
        found.append(pair)
        while len(found) > 1 and (both := _nearer(found[-2], found[-1], runs, units)) is not None:
            found[-2:] = [both]
    return found


def _nearer(one: Pair, other: Pair, runs: Sequence[int], units: Sequence[Unit]) -> Pair | None:
    if bool(one.runs) == bool(other.runs):
        return None
    both = Pair(one.runs + other.runs, one.units + other.units)
    with_run = one if one.runs else other
    apart = abs(_apart(both, runs, units)) < abs(_apart(with_run, runs, units))
    return both if apart and with_run.units else None


def _apart(pair: Pair, runs: Sequence[int], units: Sequence[Unit]) -> int:
    return sum(runs[one] for one in pair.runs) - sum(units[one].size for one in pair.units)


def _alike(runs: Sequence[int], units: Sequence[Unit]) -> int:
    # A dummy as large as the run might be the one to skip: leave that to the search.
    for at, (run, unit) in enumerate(zip(runs, units, strict=False)):
        if run != unit.size or unit.optional:
            return at
    return min(len(runs), len(units))


def _moved(pairs: Sequence[Pair], by: int) -> list[Pair]:
    return [Pair(tuple(r + by for r in one.runs), tuple(u + by for u in one.units)) for one in pairs]


def _cheapest(runs: Sequence[int], units: Sequence[Unit]) -> list[Pair]:
    if not runs or not units or (len(runs) + 1) * (len(units) + 1) > MOST_CELLS:
        return _one_to_one(runs, units)
    costs = {(0, 0): 0.0}
    came: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(runs) + 1):
        for j in range(len(units) + 1):
            here = costs[i, j]
            for step_i, step_j, cost in _steps(runs, units, i, j):
                to = (i + step_i, j + step_j)
                if here + cost < costs.get(to, float("inf")):
                    costs[to], came[to] = here + cost, (i, j)
    pairs: list[Pair] = []
    at = (len(runs), len(units))
    while at != (0, 0):
        before = came[at]
        pairs.append(Pair(tuple(range(before[0], at[0])), tuple(range(before[1], at[1]))))
        at = before
    return pairs[::-1]


def _steps(runs: Sequence[int], units: Sequence[Unit], i: int, j: int) -> Iterator[tuple[int, int, float]]:
    if j < len(units):
        yield 0, 1, DUMMY if units[j].optional else SKIP
    if i < len(runs):
        yield 1, 0, SKIP
    if i == len(runs) or j == len(units):
        return
    yield 1, 1, _unlike(runs[i], units[j].size)
    # Neighbours without a token between them are one run; one that lost some tokens still is.
    more, exact = _sharing(runs[i], [unit.size for unit in units[j:]])
    if more > 1:
        yield 1, more, JOIN if exact else 1.0 + JOIN
    if units[j].splits:
        more, exact = _sharing(units[j].size, runs[i:])
        if more > 1 and exact:
            yield more, 1, JOIN


def _unlike(run: int, size: int) -> float:
    """Of two units that one run may belong to, the nearer costs less; never as much as to skip one."""
    return 0.0 if run == size else 1.0 + NEARER * abs(run - size) / max(run, size)


def _sharing(whole: int, parts: Sequence[int]) -> tuple[int, bool]:
    """Return how many of the first parts reach the whole (0: all of them do not), and whether they equal it."""
    total = 0
    for count, part in enumerate(parts, start=1):
        total += part
        if total >= whole:
            return count, total == whole
    return 0, False


def _one_to_one(runs: Sequence[int], units: Sequence[Unit]) -> list[Pair]:
    both = min(len(runs), len(units))
    found = [Pair((at,), (at,)) for at in range(both)]
    found += [Pair((at,), ()) for at in range(both, len(runs))]
    return found + [Pair((), (at,)) for at in range(both, len(units))]
