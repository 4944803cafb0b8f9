"""Fields with an entry for some of a batch's samples only, and whether another field tells for which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dldoctor.probes.arrays import is_array
from dldoctor.probes.provenance.blocks import Blocks
from dldoctor.probes.provenance.content import RICH, Content, equal
from dldoctor.probes.provenance.tracing import Sources, Traced

NOTHING: frozenset[Any] = frozenset({None, "", (0,), (-1,)})
"""What stands where a sample has none: no entry, no text, a count of 0, an index of -1."""
KINDS = 2
WORDS = re.compile(r"<[^<>\s]+>|\w+")


def one_a_sample(one: Traced) -> bool:
    """Whether the rows are those of different samples, in the order of the samples."""
    last = -1
    for sources in one.rows:
        later = [sample for sample in sources if sample > last]
        if not later:
            return False
        last = min(later)
    return True


def left_out(one: Traced, reference: Traced) -> tuple[int, ...] | None:
    """Return the rows for which a field has no entry; None where its order is not that of the reference."""
    absent = one.column.absent
    lacking = {row for row, sources in enumerate(reference.rows) if sources and sources <= absent}
    kept = [sources for row, sources in enumerate(reference.rows) if row not in lacking]
    if len(kept) == len(one.rows) and all(map(_may_match, one.rows, kept)):
        return tuple(sorted(lacking))
    at, without = 0, list[int]()
    for row, sources in enumerate(reference.rows):
        if at < len(one.rows) and _may_match(one.rows[at], sources):
            at += 1
        else:
            without.append(row)
    return tuple(without) if at == len(one.rows) else None


def _may_match(one: Sources, other: Sources) -> bool:
    return not one or not other or bool(one & other)


def is_told(
    one: Traced, without: Sequence[int], height: int, fields: Sequence[Traced], blocks: Sequence[Blocks]
) -> bool:
    """Whether another field tells the rows that have an entry: a count, a flag, an index, a placeholder."""
    have = [row for row in range(height) if row not in set(without)]
    short = [other.column.rows for other in fields if len(other.rows) == len(have)]
    for other in fields:
        rows = other.column.rows
        if other is one:
            continue
        if len(rows) == height and (_differ(rows, have, without) or _joined(short, rows, have)):
            return True
        if _whole_numbers(rows) == have:
            return True
    return any(_ends_tell(block, have, height) for block in blocks)


def _differ(rows: Sequence[Content | None], have: Sequence[int], without: Sequence[int]) -> bool:
    with_entry, others = [rows[row] for row in have], [rows[row] for row in without]
    keys, other_keys = {_key(one) for one in with_entry}, {_key(one) for one in others}
    if not keys & other_keys:
        if other_keys <= NOTHING:
            return True
        texts = all(isinstance(key, str) for key in keys | other_keys)
        if len(other_keys) == 1 and (len(keys) == 1 or (texts and len(keys) <= max(KINDS, len(have) // 2))):
            return len(without) > 1 or len(have) > len(keys)
    if all(one is not None and one.plain for one in others):
        return not any(one is not None and one.plain for one in with_entry)
    parts = [_parts(one) for one in with_entry]
    shared = frozenset.intersection(*parts) if parts else frozenset[Any]()
    return bool(shared.difference(*map(_parts, others)))


def _key(one: Content | None) -> Any:
    if one is None or one.text is not None:
        return None if one is None else one.text
    return tuple(one.numbers.reshape(-1).tolist()) if one.size < RICH else id(one)


def _parts(one: Content | None) -> frozenset[Any]:
    """Return the words of a text, or the numbers of a row of tokens."""
    if one is None:
        return frozenset()
    if one.text is not None:
        return frozenset(WORDS.findall(one.text))
    tokens = one.size >= RICH and one.numbers.ndim == 1 and not one.numbers.is_floating_point()
    return frozenset(one.numbers.tolist()) if tokens else frozenset()


def _joined(
    short: Sequence[Sequence[Content | None]], rows: Sequence[Content | None], have: Sequence[int]
) -> bool:
    """Whether a field of these rows alone has what a field of all rows has: names to join the two by."""
    own = [rows[row] for row in have]
    if len({_key(one) for one in rows}) < len(rows):
        return False
    return any(
        all(a is not None and b is not None and equal(a, b) for a, b in zip(one, own, strict=True))
        for one in short
    )


def _whole_numbers(rows: Iterable[Content | None]) -> list[int] | None:
    found = []
    for one in rows:
        if one is None or one.numbers is None or one.size != 1 or one.numbers.is_floating_point():
            return None
        found.append(int(one.numbers))
    return found


def _ends_tell(block: Blocks, have: Sequence[int], height: int) -> bool:
    """Whether a field has the places at which the entries of each row begin and end."""
    whole = block.whole
    if not is_array(whole) or whole.ndim != 1 or whole.is_floating_point() or len(whole) != height + 1:
        return False
    steps = (whole[1:].long() - whole[:-1].long()).tolist()
    return bool(steps == [int(row in set(have)) for row in range(height)])
