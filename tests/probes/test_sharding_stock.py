"""The arithmetic of torch's DistributedSampler, against the sampler itself."""

from __future__ import annotations

from array import array

import pytest
from torch.utils.data import BatchSampler, DistributedSampler

from dldoctor.probes.sharding.seen import Seen
from dldoctor.probes.sharding.stock import Stock, of_ranks, seen_by_all


@pytest.mark.parametrize("length", [3, 21, 22, 97, 128])
@pytest.mark.parametrize("world", [1, 2, 3, 8])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize(
    ("drop_last", "batch_drop_last"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_every_rank_gets_what_the_sampler_gives_it(
    length: int, world: int, shuffle: bool, drop_last: bool, batch_drop_last: bool
) -> None:
    """Items, batches and totals of two epochs."""
    stock = Stock(length, world, shuffle, 5, drop_last, 4, batch_drop_last)
    for epoch in (0, 1):
        order, whole = stock.order(epoch), Seen(length)
        for rank in range(world):
            sampler = DistributedSampler(
                range(length), world, rank, shuffle=shuffle, seed=5, drop_last=drop_last
            )
            sampler.set_epoch(epoch)
            batches = list(BatchSampler(sampler, 4, batch_drop_last))
            items = [index for batch in batches for index in batch]
            assert order[rank::world].tolist() == items
            assert (stock.kept, stock.batches, stock.per_rank) == (len(items), len(batches), len(sampler))
            whole.add(array("q", items))
        computed = seen_by_all(order, length)
        assert (computed.once, computed.more) == (whole.once, whole.more)


def test_ranks_with_different_settings_have_no_common_arithmetic() -> None:
    """A seed that depends on the rank, or a rank that is not its own."""
    one = {
        "length": 8, "replicas": 2, "shuffle": True, "seed": 0, "drop_last": False, "batch_size": 2,
        "batch_drop_last": False,
    }  # fmt: skip
    assert of_ranks({0: {**one, "rank": 0}, 1: {**one, "rank": 1}}) == Stock(**one)
    assert of_ranks({0: {**one, "rank": 0}, 1: {**one, "rank": 1, "seed": 7}}) is None
    assert of_ranks({0: {**one, "rank": 0}, 1: {**one, "rank": 0}}) is None
    assert of_ranks({0: {**one, "rank": 0}, 1: None}) is None
