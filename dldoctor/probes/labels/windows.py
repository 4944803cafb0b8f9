"""Whether rows are windows of one length, cut from a run of documents that end tokens alone part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.own_tokens import Own

FEWEST = 4
"""Rows needed before "they begin anywhere" means something."""
MOSTLY = 0.5


def cut_from_a_stream(seen: Sequence[tuple[Aligned, Own]], eos: int) -> bool:
    """Whether rows are full, of one width, hold end tokens inside, and begin and stop anywhere.

    A conversation has an end token after each turn too; but conversations differ in length, or if they
    are all cut they begin alike.
    """
    if len({own.real.shape[1] for _, own in seen}) != 1:
        return False
    firsts, inside, ended = Counter[int](), 0, 0
    for tables, own in seen:
        if bool((tables.present & ~own.real).any()):
            return False
        ends = (tables.ids == eos) & own.real
        last = own.real.shape[1] - 1 - own.real.flip(1).int().argmax(1)
        final = ends.gather(1, last[:, None])[:, 0]
        firsts.update(tables.ids[:, 0].tolist())
        inside += int((ends.sum(1) > final.long()).sum())
        ended += int(final.sum())
    rows = firsts.total()
    common = firsts.most_common(1)[0][1] if firsts else 0
    return rows >= FEWEST and inside >= MOSTLY * rows and ended <= MOSTLY * rows and common <= MOSTLY * rows
