"""Runs of a placeholder in the rows of a table of token ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple


class Run(NamedTuple):
    """Placeholders that follow on one another."""

    row: int
    at: int
    length: int


def runs_of(ids: Any, wanted: Sequence[int], *, each: bool = False) -> list[Run]:
    """Return the runs of some ids, row by row; `each`: a run ends where the id changes."""
    import torch

    hit = torch.zeros_like(ids, dtype=torch.bool)
    for one in wanted:
        hit |= ids == one
    edge = torch.zeros((ids.shape[0], ids.shape[1] + 1), dtype=torch.bool)
    edge[:, 0], edge[:, -1] = hit[:, 0], hit[:, -1]
    edge[:, 1:-1] = hit[:, 1:] != hit[:, :-1]
    if each:
        edge[:, 1:-1] |= hit[:, 1:] & (ids[:, 1:] != ids[:, :-1])
    found = []
    for row in edge.any(1).nonzero().flatten().tolist():
        places = edge[row].nonzero().flatten().tolist()
        for start, end in pairwise(places):
            if bool(hit[row, start]):
                found.append(Run(row, start, end - start))
    return found


def break_of(ids: Any, runs: Sequence[Run]) -> int | None:
    """Return the id that stands alone between most neighbouring runs, as one that ends a line of patches does."""
    between = Counter(
        int(ids[one.row, one.at + one.length])
        for one, other in pairwise(runs)
        if one.row == other.row and other.at == one.at + one.length + 1
    )
    return between.most_common(1)[0][0] if between else None


def joined(ids: Any, runs: Sequence[Run], line_end: int) -> list[Run]:
    """Return runs with those made one that only the end of a line of patches parts; it is not counted."""
    found: list[Run] = []
    end = -1
    for run in runs:
        last = found[-1] if found else None
        near = last is not None and last.row == run.row and run.at == end + 1
        if near and int(ids[run.row, end]) == line_end and last is not None:
            found[-1] = Run(last.row, last.at, last.length + run.length)
        else:
            found.append(run)
        end = run.at + run.length
    return found
