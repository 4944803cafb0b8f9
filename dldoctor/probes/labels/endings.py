"""Which id ends the texts of a batch, learned from the rows themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.documents import numbered
from dldoctor.probes.labels.own_tokens import Own

FEWEST = 4
"""Rows needed before "most end with it" means something."""
ALWAYS = 0.95
MOSTLY = 0.6
OUTERMOST = 3
"""Special ids lie below or above the words; so many other ids may lie beyond one."""
OUTER = 0.02
"""And it lies within this share of the range of ids from its end."""


@dataclass
class _Group:
    """The rows of one table of token ids."""

    trained: bool = False
    lasts: Counter[int] = field(default_factory=Counter)
    sparing: Counter[int] = field(default_factory=Counter)
    """How many of those rows hold their last id no oftener than a text has turns."""

    @property
    def rows(self) -> int:
        return sum(self.lasts.values())


class Ends:
    """The last ids of rows, text by text: in a preference batch one side may lack its end."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._groups: dict[int, _Group] = {}
        self._seen = set[int]()

    def add(self, tables: Aligned, own: Own, group: int) -> None:
        """Look at the ends of the rows of one batch."""
        held = self._groups.setdefault(group, _Group())
        held.trained |= tables.targets is not None
        turns = _turns(tables, own)
        for number, flags in enumerate(own.real):
            kept = _text(tables, own, number, flags)
            self._seen.update(kept)
            if len(kept) >= 2:
                held.lasts[kept[-1]] += 1
                held.sparing[kept[-1]] += kept.count(kept[-1]) <= turns[number]

    def common(self) -> int | None:
        """Return the id with which most rows end, or nearly all rows of one of the texts."""
        groups = self._judged()
        lasts = sum((one.lasts for one in groups), Counter[int]())
        total = lasts.total()
        if total < FEWEST:
            return None
        last, ended = lasts.most_common(1)[0]
        if ended >= MOSTLY * total:
            return last
        for one in groups:
            last, ended = one.lasts.most_common(1)[0]
            if self.certain(last):
                return last
        return None

    def certain(self, last: int) -> bool:
        """Whether an id is an end token beyond doubt: a full stop ends texts too, and is a word.

        It ends nearly all rows of a text, occurs once a turn at most, and lies outside the words.
        """
        return self._outermost(last) and any(
            one.rows >= FEWEST
            and one.lasts[last] >= ALWAYS * one.rows
            and one.sparing[last] >= ALWAYS * one.lasts[last]
            for one in self._judged()
        )

    def _outermost(self, last: int) -> bool:
        low, high = min(self._seen, default=0), max(self._seen, default=0)
        beyond = min(sum(one < last for one in self._seen), sum(one > last for one in self._seen))
        return beyond <= OUTERMOST and min(last - low, high - last) <= OUTER * (high - low)

    def _judged(self) -> list[_Group]:
        """Return the texts with labels if there are any: a prompt on its own ends otherwise."""
        groups = [one for one in self._groups.values() if one.rows]
        return [one for one in groups if one.trained] or groups


def _text(tables: Aligned, own: Own, number: int, flags: Any) -> list[int]:
    """Return the real ids of a row; a pad id at its end, told by its value alone, is no end token."""
    kept: list[int] = tables.ids[number][flags].tolist()
    if own.known[number] not in ("pad", "full") or own.pad is None:
        return kept
    if tables.targets is not None and bool(tables.targets[number][flags][-1:].any()):
        return kept
    while kept and kept[-1] == own.pad:
        kept.pop()
    return kept


def _turns(tables: Aligned, own: Own) -> list[int]:
    """Return how many end tokens a row may hold: one a document, or two (question and answer) a run of targets."""
    import torch

    documents, _ = numbered(
        tables.ids, own.real, segments=tables.segments, mask=tables.numbers,
        block=tables.block, positions=tables.positions, packed=own.packed,
    )  # fmt: skip
    most = documents.amax(1)
    if tables.targets is not None:
        begins = tables.targets & own.real
        begins[:, 1:] &= ~begins[:, :-1].clone()
        most = torch.maximum(most, 2 * begins.sum(1))
    return [max(1, int(one)) for one in most]
