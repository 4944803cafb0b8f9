"""Which id ends the texts of a batch, learned from the rows themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    before_pad: Counter[int] = field(default_factory=Counter)
    """Of rows that end with the pad id, the id before it: padding that is trained looks like an end."""

    @property
    def rows(self) -> int:
        return sum(self.lasts.values())


class Ends:
    """The last ids of rows, text by text: in a preference batch one side may lack its end."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._groups: dict[int, _Group] = {}
        self._seen = set[int]()
        self._pads = set[int]()

    def add(self, tables: Aligned, own: Own, group: int) -> None:
        """Look at the ends of the rows of one batch."""
        held = self._groups.setdefault(group, _Group())
        held.trained |= tables.targets is not None
        for text in _texts(tables, own):
            self._seen.update(text.ids)
            if len(text.ids) >= 2:
                held.lasts[text.ids[-1]] += 1
                held.sparing[text.ids[-1]] += text.ids.count(text.ids[-1]) <= text.turns
                if own.pad is not None and text.ids[-1] == own.pad:
                    self._pads.add(own.pad)
                    held.before_pad[text.ids[-2]] += 1

    def common(self) -> int | None:
        """Return the id with which most rows end, or nearly all rows of one of the texts."""
        groups = self._judged()
        lasts = sum((one.lasts for one in groups), Counter[int]())
        total = lasts.total()
        if total < FEWEST:
            return None
        last, ended = lasts.most_common(1)[0]
        if ended >= MOSTLY * total:
            return self._behind_padding() or last if last in self._pads else last
        for one in groups:
            last, ended = one.lasts.most_common(1)[0]
            if self.certain(last):
                return last
        return None

    def _behind_padding(self) -> int | None:
        """Return the special id that always stands before the pad id, if there is one."""
        before = sum((one.before_pad for one in self._judged()), Counter[int]())
        found, count = before.most_common(1)[0]
        return found if count >= ALWAYS * before.total() and self._outermost(found) else None

    def certain(self, last: int) -> bool:
        """Whether an id is an end token beyond doubt: a full stop ends texts too, and is a word.

        It ends nearly all rows of a text, occurs once a turn at most, and lies outside the words.
        """
        return self._outermost(last) and any(
            one.rows >= FEWEST
            and max(one.lasts[last], one.before_pad[last]) >= ALWAYS * one.rows
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


class _Text(NamedTuple):
    """One document."""

    ids: list[int]
    turns: int
    """End tokens that it may hold: two (question and answer) a run of targets."""


def _texts(tables: Aligned, own: Own) -> Iterator[_Text]:
    """Yield the documents of all rows."""
    documents, _ = numbered(
        tables.ids, own.real, segments=tables.segments, mask=tables.numbers,
        block=tables.block, positions=tables.positions, packed=own.packed,
    )  # fmt: skip
    for number, row in enumerate(documents):
        for one in range(1, int(row.max()) + 1):
            flags = row == one
            trained = None if tables.targets is None else tables.targets[number][flags]
            turns = (
                1
                if trained is None
                else max(1, 2 * int((trained[1:] > trained[:-1]).sum() + trained[:1].sum()))
            )
            yield _Text(_without_padding(tables, own, number, flags, trained), turns)


def _without_padding(tables: Aligned, own: Own, number: int, flags: Any, trained: Any) -> list[int]:
    """Return the ids of a document; a pad id at its end, told by its value alone, is no end token."""
    kept: list[int] = tables.ids[number][flags].tolist()
    if own.known[number] not in ("pad", "full") or own.pad is None:
        return kept
    if trained is not None and bool(trained[-1:].any()):
        return kept
    while kept and kept[-1] == own.pad:
        kept.pop()
    return kept
