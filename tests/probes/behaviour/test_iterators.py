"""What the functions behind an iterator have at hand."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from dldoctor.probes.behaviour.generators import is_generator, origin_of
from dldoctor.probes.behaviour.iterators import names_in


def rows(seed: int) -> Iterator[int]:
    dice = random.Random(seed)
    for _ in range(10):
        yield dice.randrange(100)


def doubled(source: Iterator[int]) -> Iterator[int]:
    for row in source:
        yield 2 * row


def delegating(seed: int) -> Iterator[int]:
    yield from rows(seed)


def found(iterator: Any) -> list[str]:
    next(iterator)
    return [path for path, value in names_in(iterator) if is_generator(value)]


def test_a_local_generator_is_found_with_its_function() -> None:
    """No attribute leads to it."""
    assert found(rows(3)) == ["rows.<dice>"]


def test_it_is_found_through_other_iterators() -> None:
    """Functions that take a source, delegation, and iterators written in C."""
    assert found(doubled(rows(3))) == ["rows.<dice>"]
    assert found(delegating(3)) == ["rows.<dice>"]
    assert found(map(abs, itertools.chain(rows(3), rows(4)))) == ["rows.<dice>"]
    assert found(itertools.islice(doubled(rows(3)), 5)) == ["rows.<dice>"]


def test_a_finished_iterator_has_nothing() -> None:
    """Its functions have returned."""
    iterator = rows(3)
    assert list(names_in(iterator)) != []
    list(iterator)
    assert list(names_in(iterator)) == []


def test_the_origin_of_a_generator_stays_however_much_is_drawn() -> None:
    """Equal seeds have equal origins, and a jump makes another one."""
    import numpy as np
    import torch

    def drawn(generator: Any, draw: Any, count: int) -> Any:
        for _ in range(count):
            draw(generator)
        return origin_of(generator)

    kinds: list[tuple[Any, Any]] = [
        (random.Random, lambda one: one.random()),
        (np.random.default_rng, lambda one: one.random()),
        (np.random.RandomState, lambda one: one.rand()),
        (lambda seed: torch.Generator().manual_seed(seed), lambda one: torch.rand((), generator=one)),
    ]
    for make, draw in kinds:
        same = repr(drawn(make(5), draw, 2)) == repr(drawn(make(5), draw, 7))
        other = repr(drawn(make(6), draw, 2)) == repr(drawn(make(5), draw, 2))
        assert (same, other) == (True, False)
    jumped = np.random.Generator(np.random.PCG64(5).jumped(1))
    assert origin_of(jumped) != origin_of(np.random.default_rng(5))
