"""What a pipeline's objects hold is found by its path, without calling anything."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest
import torch

from dldoctor.probes.behaviour.generators import (
    is_generator,
    mark_of,
    pinned,
    private_generators,
    reseed,
    state_of,
)
from dldoctor.probes.behaviour.graph import walk

KEPT = np.random.default_rng(3)


class Step:
    """Holds a generator behind a slot, and has a property that must not be read."""

    __slots__ = ("rng",)

    def __init__(self) -> None:
        self.rng = random.Random(1)

    @property
    def costly(self) -> object:
        raise AssertionError("a property was read")


class Holder:
    """Holds steps in a list, a dict and a closure; a method draws from a module's generator."""

    def __init__(self) -> None:
        hidden = torch.Generator()
        self.steps = [Step(), {"deep": np.random.RandomState(2)}]
        self.apply = lambda x: torch.rand(1, generator=hidden) + x
        self.part = functools.partial(max, key=random.Random(4))
        self.itself = self

    def draw(self) -> float:
        return float(KEPT.random())


def test_generators_are_found_wherever_they_are_held() -> None:
    """Slots, containers, closures, partials, and what a method names in its module."""
    assert set(private_generators([("dataset", Holder())])) == {
        "dataset.steps[0].rng",
        "dataset.steps[1]['deep']",
        "dataset.apply.<hidden>",
        "dataset.part.key",
        "dataset.<global KEPT>",
    }


def test_global_generators_are_nobodys_own() -> None:
    """They are what PyTorch seeds in each worker."""
    assert not is_generator(np.random.mtrand._rand)
    assert not is_generator(torch.default_generator)
    assert not is_generator(random.SystemRandom())


def test_long_lists_of_numbers_are_not_walked() -> None:
    """A dataset of a million labels is one object."""
    assert [path for path, _ in walk([("x", [list(range(10_000))])])] == ["x", "x[0]"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: random.Random(9),
        lambda: np.random.default_rng(9),
        lambda: np.random.RandomState(9),
        torch.Generator,
    ],
    ids=["random", "numpy generator", "numpy legacy", "torch"],
)
def test_pinning_gives_equal_numbers_and_leaves_the_state(make: object) -> None:
    """Whatever the generator was seeded with."""
    one, other = make(), make()
    reseed(other, 77)
    before = mark_of(state_of(one))
    states = []
    for generator in (one, other):
        pinned(5, {"g": generator}, lambda g=generator: states.append(mark_of(state_of(g))))
    assert states[0] == states[1] != before
    assert mark_of(state_of(one)) == before
