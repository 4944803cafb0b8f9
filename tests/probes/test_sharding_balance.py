"""How far batches are from the mix of the whole, and how unevenly work falls on ranks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from dldoctor.probes.sharding.balance import mixes, work
from dldoctor.probes.sharding.mix import MixLog, kinds_of, noted, wanted_steps, work_of


def rows(labels: list[int], size: int = 8, worker: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "step": step,
            "worker": worker,
            "kinds": [{"label": str(one)} for one in labels[step * size : step * size + size]],
            "work": {"x": size},
        }
        for step in range(len(labels) // size)
    ]


def test_an_order_at_random_is_zero_and_a_sorted_one_is_one() -> None:
    """Between a batch and the next, and within batches."""
    labels = [number // 80 for number in range(480)]
    (in_order,) = mixes({0: rows(labels)})
    assert in_order.in_batch > 0.95
    assert in_order.in_next > 0.85
    assert in_order.first[0] == "8 of 0"
    random.Random(1).shuffle(labels)
    (mixed,) = mixes({0: rows(labels)})
    assert mixed.in_batch < 0.05
    assert abs(mixed.in_next) < 0.05
    assert mixed.values_in_window == pytest.approx(mixed.values_expected, abs=0.1)


def test_batches_of_one_value_in_an_order_at_random_are_not_like_the_next() -> None:
    """They are pure, and nothing follows from one for the next."""
    batches = [[number] * 8 for number in range(6) for _ in range(20)]
    random.Random(2).shuffle(batches)
    (found,) = mixes({0: rows([one for batch in batches for one in batch])})
    assert found.in_batch == pytest.approx(1.0)
    assert abs(found.in_next) < 4 * found.chance


def test_names_and_rare_labels_are_no_mix() -> None:
    """A value a sample, one value for all, or too few samples of others."""
    assert mixes({0: rows(list(range(480)))}) == ()
    assert mixes({0: rows([1] * 480)}) == ()
    assert mixes({0: rows([0] * 470 + [1] * 10)}) == ()
    assert mixes({0: rows([0, 1] * 32)}) == ()


def test_ranks_that_hold_other_labels_are_apart() -> None:
    """Each is mixed within."""
    low, high = [number % 3 for number in range(240)], [3 + number % 3 for number in range(240)]
    (found,) = mixes({0: rows(low), 1: rows(high)})
    assert found.in_rank == pytest.approx(0.2, abs=0.05)
    assert found.in_next == pytest.approx(found.in_rank, abs=0.05)


def test_the_others_wait_for_the_rank_with_most_elements() -> None:
    """A third of the time, where one of two has half of the elements of the other in some steps."""
    sizes = {0: [100] * 10, 1: [50, 100] * 5}
    table = {
        rank: [
            {"step": step, "worker": 0, "kinds": [], "work": {"ids": size, "label": 8}}
            for step, size in enumerate(own)
        ]
        for rank, own in sizes.items()
    }
    found = work(table)
    assert found is not None
    assert (found.field, found.steps, found.per_rank) == ("ids", 10, (100.0, 75.0))
    assert found.waiting == pytest.approx(0.125)
    assert found.errors[0] == 0.0
    assert work({0: table[0]}) is None
    assert work({0: table[0], 1: table[1][:5]}) is None


def test_only_fields_that_say_a_kind_are_noted() -> None:
    """By the usual names, by position, or declared; texts of a position are no kind."""
    sample = {
        "label": torch.tensor(3),
        "x": torch.rand(4),
        "meta": {"source": "web", "bin": 7},
        "text": "a b",
    }
    assert kinds_of(sample, ()) == {"label": "3", "meta.source": "web"}
    assert kinds_of(sample, ("meta.bin",)) == {"label": "3", "meta.source": "web", "meta.bin": "7"}
    assert kinds_of((torch.rand(3), 5, "a text"), ()) == {"1": "5"}


def test_work_counts_elements_of_tensors_and_lists() -> None:
    """Detection targets come as lists of tensors."""
    batch = {
        "images": torch.zeros(2, 3, 4, 4),
        "boxes": [torch.zeros(5, 4), torch.zeros(1, 4)],
        "name": ["a", "b"],
    }
    assert work_of(batch) == {"images": 96, "boxes": 24}


def test_batches_of_a_stream_are_put_in_the_order_of_delivery(tmp_path: Path) -> None:
    """Worker by worker in turn."""
    for worker in (0, 1):
        log = MixLog(str(tmp_path / f"mix-{worker}"))
        for number in range(2):
            log.add(None, [{"label": f"{worker}{number}"}], {})
    assert [row["kinds"][0]["label"] for row in noted(str(tmp_path), 2)] == ["00", "10", "01", "11"]


def test_stretches_of_a_long_epoch_are_read() -> None:
    """Its beginning, its end, and two between; all of a short one."""
    wanted = [step for step in range(1000) if wanted_steps(1000)(step)]
    assert (len(wanted), wanted[0], wanted[-1]) == (32, 0, 999)
    assert all(wanted_steps(20)(step) for step in range(20))
    assert not wanted_steps(None)(64)
