"""Cuts out the part of a row that a person should look at."""

from __future__ import annotations

from typing import Any, Literal

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelGroup, ShownRow, ShownToken, Vocabulary
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.documents import starts_of
from dldoctor.probes.labels.own_tokens import Own
from dldoctor.probes.labels.tables import FILL
from dldoctor.probes.labels.vocabulary import Tokenizer

WINDOW = 96
"""Positions of a row that are shown at most."""
EACH = 2
"""Rows that are shown of each kind, of each table of ids."""
PLAIN = 3
"""Rows that are shown whatever they are."""
MOST = 16

TokenRole = Literal["trained", "ignored", "padding", "placeholder", "special"]


class Gallery:
    """Chooses the rows to show as they come."""

    def __init__(self, words: Vocabulary, tokenizer: Tokenizer | None) -> None:
        """Start with none."""
        self.rows: list[ShownRow] = []
        self._words, self._tokenizer = words, tokenizer
        self._seen: dict[tuple[int, str], int] = {}
        self._texts: dict[int, str] = {}

    def offer(self, row: LabelRow, tables: Aligned, own: Own, documents: Any, group: LabelGroup) -> None:
        """Show the row if it is among the first of its kind."""
        kinds = kinds_of(row, has_targets=tables.targets is not None) or ["plain"]
        # Of each table: the labels of a sequence of their own stand beside the text that they answer.
        keys = [(row.group, kind) for kind in kinds]
        new = [key for key in keys if self._seen.get(key, 0) < (PLAIN if key[1] == "plain" else EACH)]
        if not new or len(self.rows) >= MOST:
            return
        for key in new:
            self._seen[key] = self._seen.get(key, 0) + 1
        self.rows.append(self._cut(row, tables, own, documents, group))

    def _cut(self, row: LabelRow, tables: Aligned, own: Own, documents: Any, group: LabelGroup) -> ShownRow:
        number = row.row
        of_words = group.label_kind in ("mlm", "other")
        places = _places(row, tables, documents)
        ids, real = tables.ids[number].tolist(), own.real[number].tolist()
        targets = None if tables.targets is None else tables.targets[number].tolist()
        mask = None if tables.mask is None else tables.mask[number].tolist()
        labels = None if tables.labels is None else tables.labels[number].tolist()
        numbers = documents[number].tolist()
        tokens = []
        for at in places:
            label = None
            if labels is not None:
                # In tables of moved labels the label of a token stands one position before it.
                source = at - 1 if len(ids) > tables.width else at
                label = labels[source] if 0 <= source < len(labels) else None
            trained = targets is not None and targets[at]
            another = of_words and trained and label not in (None, ids[at])
            tokens.append(
                ShownToken(
                    at,
                    ids[at],
                    label,
                    None if mask is None else int(mask[at]),
                    self._role(ids[at], real[at], trained),
                    self._text(ids[at]),
                    numbers[at],
                    self._text(label) if another and label is not None and label >= 0 else "",
                )
            )
        present = sum(1 for one in ids if one != FILL)
        return ShownRow(
            row.batch, number, row.group, row.sample, tuple(tokens), max(0, present - len(tokens))
        )

    def _role(self, token: int, real: bool, trained: bool) -> TokenRole:
        words = self._words
        if not real:
            return "padding"
        if token in words.placeholders:
            return "placeholder"
        if trained:
            return "trained"
        special = self._tokenizer.special if self._tokenizer else frozenset()
        return "special" if token in special or token in (words.eos, words.bos, words.pad) else "ignored"

    def _text(self, token: int) -> str:
        if self._tokenizer is None:
            return ""
        if token not in self._texts:
            self._texts[token] = self._tokenizer.text(token)[:24]
        return self._texts[token]


def kinds_of(row: LabelRow, *, has_targets: bool) -> list[str]:
    """Return what is odd about a row."""
    odd = {
        "displaced": row.lag != 0,
        "pad trained": row.pad_trained > 0,
        "hidden": row.hidden > 0,
        "attended": row.attended > 0,
        "untrained": has_targets and row.trained == 0,
        "no end trained": has_targets and row.trained > 0 and row.eos_trained == 0,
        "overwritten": row.lost > 0,
        "double start": row.bos_lead > 1 or row.bos_trained > 0 or row.eos_tail > 1,
        "beyond": row.beyond > 0,
        "late": row.late > 0,
        "leaks": row.leaks > 0,
        "pack": row.documents > 1,
        "placeholder": row.placeholder_trained > 0,
    }
    return [name for name, is_odd in odd.items() if is_odd]


def _places(row: LabelRow, tables: Aligned, documents: Any) -> list[int]:
    width = tables.ids.shape[1]
    first_real = row.left
    last_real = width - row.right - 1
    wanted: set[int] = set()

    def around(at: int, before: int, after: int) -> None:
        if at >= 0:
            wanted.update(range(max(0, at - before), min(width, at + after + 1)))

    around(first_real, 2, 9)
    around(row.first, 8, 11)
    around(row.last, 5, 3)
    around(row.hidden_at, 3, 3)
    around(last_real, 7, 4)
    starts = starts_of(documents)[row.row].nonzero().flatten().tolist()
    for at in starts[:4]:
        around(int(at), 3, 4)
    if tables.targets is not None:
        begins = tables.targets[row.row].clone()
        begins[1:] &= ~tables.targets[row.row][:-1]
        for at in begins.nonzero().flatten().tolist()[:6]:
            around(int(at), 3, 3)
    present = tables.present[row.row].tolist()
    if sum(present) <= WINDOW:
        wanted = set(range(width))
    return [at for at in sorted(wanted) if present[at]][:WINDOW]
