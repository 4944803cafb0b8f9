"""Learns from the first batches the ids that nobody declared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dldoctor.evidence.labels import Marker, Vocabulary
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.endings import ALWAYS, Ends
from dldoctor.probes.labels.markers import LONGEST, learned_marker
from dldoctor.probes.labels.own_tokens import Own, pad_id_of
from dldoctor.probes.labels.vocabulary import Tokenizer

ENOUGH = 8
"""Rows needed before the id that all begin with is taken for a start token."""


class IdLearner:
    """What rows of the first batches begin and end with."""

    def __init__(self, words: Vocabulary, tokenizer: Tokenizer | None) -> None:
        """Start from what is declared or told by the tokenizer."""
        self.words = words
        self._tokenizer = tokenizer
        self._firsts: Counter[int] = Counter()
        self._ends = Ends()
        self._heads: list[tuple[int, ...]] = []
        self._before_again: Counter[int] = Counter()
        """What stands before a first id that comes again in its row."""

    def padding(self, tables: Aligned) -> None:
        """What stands under mask 0 is the padding, whatever the tokenizer says."""
        told = self.words.sources.get("pad")
        if told == "declared" or (told == "tokenizer" and tables.mask is None):
            return
        pad = pad_id_of(tables)
        if pad is not None and pad != self.words.pad:
            self._know("pad", pad)

    def rows(self, tables: Aligned, own: Own, group: int = 0) -> None:
        """Look at both ends of the real tokens, and at what stands before the first target."""
        for number, flags in enumerate(own.real):
            kept = tables.ids[number][flags].tolist()
            if len(kept) >= 2:
                self._firsts[kept[0]] += 1
                targets = None if tables.targets is None else tables.targets[number][flags].tolist()
                self._before_again.update(_before_again(kept, targets))
        self._ends.add(tables, own, group)
        self._heads += _heads(tables, own)

    def settled(self) -> Vocabulary:
        """Return the ids; start and end are learned only where no tokenizer knows them."""
        if self._tokenizer is not None:
            return self.words
        total = sum(self._firsts.values())
        last = self._ends.common()
        if self.words.bos is None and total >= ENOUGH:
            first, held = self._firsts.most_common(1)[0]
            if held >= ALWAYS * total and self._begins_texts_only(last, total):
                self._know("bos", first)
        if self.words.eos is None and last is not None:
            self._know("eos", last, "values" if self._ends.certain(last) else "guess")
        return self.words

    def _begins_texts_only(self, last: int | None, rows: int) -> bool:
        """Whether the first id comes again only where a text ended: a word ("a", "the") comes anywhere."""
        before = self._before_again
        if last is None and before:
            last = before.most_common(1)[0][0]
        return sum(count for one, count in before.items() if one != last) <= (1 - ALWAYS) * rows

    def marker(self) -> Marker | None:
        """Return what stands before the first target of most rows."""
        return learned_marker(self._heads, self._tokenizer)

    def _know(self, name: str, value: int, by: str = "values") -> None:
        known: dict[str, Any] = {name: value, "sources": {**self.words.sources, name: by}}
        self.words = replace(self.words, **known)


def _before_again(ids: list[int], targets: list[bool] | None) -> list[int]:
    """Return the ids before a first id that comes again, other than at the begin of a span of targets.

    An id that ends its row as well frames the texts in it.
    """
    if ids[0] == ids[-1]:
        return []
    return [
        before
        for at, (before, token) in enumerate(pairwise(ids), 1)
        if token == ids[0] != before and not (targets is not None and targets[at] and not targets[at - 1])
    ]


def _heads(tables: Aligned, own: Own) -> list[tuple[int, ...]]:
    """Return the ids before the first target of each row that has a masked beginning."""
    if tables.targets is None:
        return []
    found = []
    for ids, targets, real in zip(tables.ids, tables.targets & own.real, own.real, strict=True):
        if not bool(targets.any()):
            continue
        first, start = int(targets.int().argmax()), int(real.int().argmax())
        if first - start >= 2:
            found.append(tuple(ids[max(start, first - LONGEST) : first].tolist()))
    return found
