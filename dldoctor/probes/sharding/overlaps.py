"""Items that two ranks, or two workers of one rank, were both given."""

from __future__ import annotations

from itertools import combinations

from dldoctor.evidence.coverage import Overlap
from dldoctor.probes.sharding.given import Given


def between_ranks(given: Given) -> tuple[Overlap, ...]:
    """Return the items that each pair of ranks shares in the first epoch."""
    first = {rank: seen for (rank, epoch), seen in given.seen.items() if epoch == 0}
    return tuple(
        Overlap(
            a,
            b,
            first[a].shared(first[b]) * given.scale,
            min(first[a].distinct, first[b].distinct) * given.scale,
        )
        for a, b in combinations(sorted(first), 2)
    )


def between_workers(given: Given) -> tuple[Overlap, ...]:
    """Return the items that each pair of workers of one rank shares in the first epoch."""
    found = []
    for (rank, a), (other, b) in combinations(sorted(given.workers), 2):
        if rank != other:
            continue
        one, two = given.workers[rank, a], given.workers[rank, b]
        shared = one.shared(two)
        found.append(Overlap(a, b, shared * given.scale, min(one.distinct, two.distinct) * given.scale, rank))
    return tuple(found[:64])
