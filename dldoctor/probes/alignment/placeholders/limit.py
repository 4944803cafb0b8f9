"""At which length rows are cut, and what the rows that lost placeholders would need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from dldoctor.evidence.placeholders import PlaceholderRow
from dldoctor.probes.alignment.placeholders.held import Held, Learned
from dldoctor.probes.labels.limits import Setting

FEWEST = 2


class Limit(NamedTuple):
    """A length that rows never exceed."""

    length: int | None = None
    source: str = ""
    longest_row: int = 0
    longest: int = 0
    """Longest row, with its missing placeholders."""
    whole: bool = False
    """`longest` counts the tokens of uncut samples."""


def limit_of(
    rows: Sequence[PlaceholderRow],
    held: Sequence[Held],
    learned: Learned,
    declared: int | None,
    settings: Sequence[Setting],
) -> Limit:
    """Return the limit that rows which lack placeholders ran into, if there is one."""
    lengths = [
        int(count)
        for one in held
        if learned.tokens in one.real
        for count in one.real[learned.tokens].sum(1).tolist()
    ]
    if not lengths:
        return Limit()
    longest = max(lengths)
    needs = [max(row.source, row.real + max(0, row.expected - row.placeholders)) for row in rows]
    need = max([longest, *needs])
    cut = [row for row in rows if not row.fits and row.real == longest]
    whole = bool(cut) and all(row.source > 0 for row in cut)
    if declared is not None and longest == declared:
        return Limit(declared, "declared", longest, need, whole)
    for setting in settings:
        if setting.value == longest:
            return Limit(longest, setting.path, longest, need, whole)
    inside = sum(row.ends_inside for row in cut)
    if Counter(lengths)[longest] >= FEWEST and inside:
        return Limit(longest, "rows", longest, need, whole)
    return Limit(None, "", longest, need, whole)
