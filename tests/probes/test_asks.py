"""What a sampler hands to the dataset, where that is no single int."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset

from dldoctor.intent import TargetOptions
from dldoctor.probes.asks import other_than_int, with_asks
from dldoctor.targets import Pipeline, from_object

DATA = TensorDataset(torch.arange(24.0))


def pipeline(**settings: Any) -> Pipeline:
    return from_object(DataLoader(DATA, **settings), TargetOptions("made"))


@pytest.mark.parametrize(
    ("keys", "asks"),
    [
        ([1, 2, 3], None),
        ([np.int64(1), np.array(2), torch.tensor(3)], None),
        ([[0, 1], [2, 3]], "list"),
        ([0, (1, 320)], "tuple"),
        ([slice(0, 4)], "slice"),
        (["a.jpg"], "str"),
        ([np.arange(3)], "ndarray"),
        ([torch.tensor([3])], "Tensor"),
        ([], None),
    ],
)
def test_keys_are_told_from_indices(keys: list[Any], asks: str | None) -> None:
    """What stands for one number is an index, a row of one number is none."""
    assert other_than_int(pipeline(sampler=keys, batch_size=None).torch_loader) == asks


def test_a_sampler_is_asked_in_a_fork_and_torchs_own_not_at_all(tmp_path: Path) -> None:
    """The order that the run will see is not used up."""
    drawn: list[int] = []

    class Pairs:
        def __iter__(self) -> Any:
            drawn.append(1)
            yield [(0, 32), (1, 32)]

    asked = with_asks(pipeline(batch_sampler=Pairs()), str(tmp_path))
    assert (asked.asks, asked.by_index, drawn) == ("tuple", False, [])
    assert asked.no_index.startswith("the sampler hands a tuple to `__getitem__`")
    plain = pipeline(batch_size=4, shuffle=True)
    assert with_asks(plain, str(tmp_path)) is plain
    lists = pipeline(sampler=BatchSampler(SequentialSampler(DATA), 4, drop_last=False), batch_size=None)
    assert with_asks(lists, str(tmp_path)).asks == "list"


def test_a_sampler_that_raises_is_for_the_loader_to_tell(tmp_path: Path) -> None:
    """Nothing is known, so items are read as usual."""

    class Broken:
        def __iter__(self) -> Any:
            raise RuntimeError("no epoch was set")

    assert with_asks(pipeline(batch_sampler=Broken()), str(tmp_path)).asks is None
