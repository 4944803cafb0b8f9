"""Through subsets, concatenations and the user's own wrappers to the innermost dataset."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset  # noqa: E402

from dldoctor.intent import TargetOptions  # noqa: E402
from dldoctor.probes.overlap.places import places_of  # noqa: E402
from dldoctor.targets import from_object  # noqa: E402


class Base(Dataset[int]):
    def __init__(self, count: int = 12) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index * 10


class Through(Dataset[int]):
    """A wrapper of the user's own: `order` says which item it asks for."""

    def __init__(self, inner: Any, order: list[int]) -> None:
        self.inner, self.order = inner, order

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: int) -> int:
        value: int = self.inner[self.order[index]]
        return value


class Rolled(Through):
    """The same, but it asks for the item after that."""

    def __getitem__(self, index: int) -> int:
        value: int = self.inner[self.order[index] + 1]
        return value


def at(dataset: Any, **options: Any) -> list[tuple[int, Any]]:
    found = places_of(from_object(DataLoader(dataset, batch_size=4, **options), TargetOptions("<loader>")))
    assert found is not None
    return found.at


def test_wrappers_are_looked_through() -> None:
    """Those of torch by what they are, others by what they ask for."""
    base = Base()
    assert at(Subset(Subset(base, [5, 6, 7]), [2, 0])) == [(0, 7), (0, 5)]
    assert at(ConcatDataset([Base(2), base]))[1:4] == [(0, 1), (1, 0), (1, 1)]
    assert at(Through(base, [4, 9, 2])) == [(0, 4), (0, 9), (0, 2)]


def test_a_wrapper_that_asks_for_others_than_it_seems_to_is_not() -> None:
    """Its own index counts then."""
    assert at(Rolled(Base(), [4, 9, 2])) == [(0, 0), (0, 1), (0, 2)]


def test_only_what_the_sampler_draws_counts() -> None:
    """Each index once."""
    assert at(Base(), sampler=[3, 1, 3]) == [(0, 3), (0, 1)]
