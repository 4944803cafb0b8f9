"""What torch's own DistributedSampler gives to ranks that were not run, from its settings alone."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from typing import Any

from dldoctor.probes.sharding.seen import Seen

LARGEST = 10**8
"""Items up to which the permutation is made again here (8 bytes each)."""


@dataclass(frozen=True)
class Stock:
    """The settings of the sampler and of the batches around it."""

    length: int
    replicas: int
    shuffle: bool
    seed: int
    drop_last: bool
    batch_size: int
    batch_drop_last: bool

    @property
    def per_rank(self) -> int:
        """Items drawn for each rank."""
        if self.drop_last and self.length % self.replicas:
            return -(-(self.length - self.replicas) // self.replicas)
        return -(-self.length // self.replicas)

    @property
    def kept(self) -> int:
        """Items that each rank delivers once the loader has dropped a last batch that is not full."""
        return self.per_rank // self.batch_size * self.batch_size if self.batch_drop_last else self.per_rank

    @property
    def batches(self) -> int:
        """Batches of each rank."""
        return -(-self.kept // self.batch_size)

    @property
    def padded(self) -> int:
        """Items drawn again so that all ranks have the same number."""
        return max(0, self.per_rank * self.replicas - self.length)

    @property
    def cut(self) -> int:
        """Items left out so that all ranks have the same number."""
        return max(0, self.length - self.per_rank * self.replicas)

    def order(self, epoch: int) -> Any:
        """Return the items of all ranks, item by item: that of rank r at ``r, r + world, ...``."""
        import torch

        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.seed + epoch)
            drawn = torch.randperm(self.length, generator=generator)
        else:
            drawn = torch.arange(self.length)
        total = self.per_rank * self.replicas
        if total > self.length:
            drawn = drawn.repeat(-(-total // self.length))
        return drawn[: self.kept * self.replicas]


def of_ranks(settings: dict[int, dict[str, Any] | None]) -> Stock | None:
    """Return the common settings of the ranks that ran, if each has its place in one permutation."""
    found = set()
    for rank, one in settings.items():
        if one is None or one["rank"] != rank:
            return None
        found.add(tuple(sorted((key, value) for key, value in one.items() if key != "rank")))
    if len(found) != 1:
        return None
    return Stock(**dict(found.pop()))


def digest_of_rank(order: Any, rank: int, replicas: int) -> str:
    """Return the digest of what one rank draws, made as `indices.read_epoch` makes it."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(array("q", order[rank::replicas].tolist()).tobytes())
    return digest.hexdigest()


def seen_by_all(order: Any, size: int) -> Seen:
    """Return how often each item is given to any rank."""
    seen = Seen(size)
    for start in range(0, len(order), 1 << 20):
        seen.add(array("q", order[start : start + (1 << 20)].tolist()))
    return seen
