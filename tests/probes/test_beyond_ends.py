"""Which item is told to have come for an index beyond the ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from dldoctor.evidence.protocol import Reading
from dldoctor.probes.beyond_ends import compared
from dldoctor.probes.reading import Reader

LENGTH = 24


class Made:
    """24 items, of which `make` is told the index that was asked for."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self.make = make

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        return self.make(index)


def told(make: Callable[[int], Any], index: int) -> Reading | None:
    session: Any = SimpleNamespace(read_note=lambda _: None, note=lambda *_: None, stopping=False)
    reader = Reader(Made(make), session, time.monotonic() + 60)
    return compared(reader, reader.read(index), LENGTH)


def picture(number: int) -> torch.Tensor:
    return torch.rand(4, generator=torch.Generator().manual_seed(number))


def test_a_field_that_repeats_the_index_does_not_decide() -> None:
    """As a number, in an array of one element, as text."""
    for name in (int, str, lambda index: torch.tensor([index])):
        found = told(lambda index, name=name: (picture(index % LENGTH), name(index)), -1)
        assert found is not None
        assert found.same_as == LENGTH - 1


def test_items_that_the_random_numbers_make_are_equal_to_none() -> None:
    """Equal numbers make them alike; of the last one nothing is said, one past the end is a value."""
    assert told(lambda index: (torch.randn(4), index % 3), -2) is None
    past = told(lambda index: (torch.randn(4), index % 2), LENGTH)
    assert past is not None
    assert (past.outcome, past.same_as) == ("value", None)


def test_another_item_is_told_even_if_it_is_augmented() -> None:
    """The content under equal random numbers is that of one item alone."""
    found = told(lambda index: picture(index % 7 if index < 0 else index) + 0.1 * torch.rand(4), -1)
    assert found is not None
    assert found.same_as == 6
    wrapped = told(lambda index: picture(index % LENGTH), LENGTH)
    assert wrapped is not None
    assert wrapped.same_as == 0
