"""Whether the index decides which item comes back, or the random numbers do."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.protocol import Scatter
from dldoctor.probes.digest import digests
from dldoctor.probes.reading import Reader
from dldoctor.roles.flatten import leaves

READS = 2
SEEDS = (101, 202)


def scattered(reader: Reader, indices: list[int], seeded: list[int], own_id: str | None) -> Scatter | None:
    """Read indices twice with random numbers of their own: does the index decide which item comes?"""
    follows = _follows_seed(reader, seeded)
    items: dict[int, list[Any]] = {}
    names: dict[int, list[str]] = {}
    for position, index in enumerate(indices):
        for turn in range(READS):
            one = reader.fresh(index, 1000 + READS * position + turn)
            if one is None:
                break
            items.setdefault(index, []).append(tuple(sorted(digests(one[0]).items())))
            if own_id is not None:
                names.setdefault(index, []).append(str(dict(leaves(one[0])).get(own_id)))
    items = {index: found for index, found in items.items() if len(found) == READS}
    if len(items) < 2:
        return None
    named = own_id is not None and all(len(names.get(index, [])) == READS for index in items)
    if named:
        items = {index: list(names[index]) for index in items}
    owners: dict[Any, set[int]] = {}
    for index, found in items.items():
        for item in found:
            owners.setdefault(item, set()).add(index)
    varying = [index for index, found in items.items() if len(set(found)) > 1]
    example = varying[0] if varying else None
    return Scatter(
        indices=len(items),
        reads=READS,
        crossed=sum(len(owners[item]) > 1 for index in varying for item in items[index]),
        varying=len(varying),
        distinct=len({found[0] for found in items.values()}),
        by="own-id" if named else "content",
        example=example,
        values=tuple(names[example]) if example is not None and named else (),
        follows_seed=follows,
        seeded=len(seeded),
    )


def _follows_seed(reader: Reader, indices: list[int]) -> bool:
    """Whether the random numbers alone decide what comes back, whatever the index."""
    by_seed = []
    for seed in SEEDS:
        reads = [reader.fresh(index, seed) for index in indices]
        if len(reads) < 2 or any(one is None for one in reads):
            return False
        by_seed.append({tuple(sorted(digests(one[0]).items())) for one in reads if one})
    return all(len(found) == 1 for found in by_seed) and by_seed[0] != by_seed[1]
