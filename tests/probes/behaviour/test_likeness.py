"""Whether two readings of a stream are of the same samples."""

from __future__ import annotations

import random

import pytest
import torch

from dldoctor.probes.behaviour.likeness import Reading, drawn_fields, likeness, sketch
from dldoctor.probes.digest import digest


def reading(samples: list[dict[str, object]], ids: bool = False) -> Reading:
    return Reading(
        [{path: str(digest(value)) for path, value in one.items()} for one in samples],
        [{path: sketch(value) or [] for path, value in one.items()} for one in samples],
        [hash(str(one["id"])) if ids else 0 for one in samples],
    )


def texts(seed: int, hidden: float = 0.15, order: list[int] | None = None) -> list[dict[str, object]]:
    """Texts with a few tokens hidden; the text goes by its number alone."""
    dice, found = random.Random(seed), []
    for number in order or range(12):
        tokens = random.Random(number).sample(range(1000), 40)
        found.append({"id": number, "tokens": [0 if dice.random() < hidden else one for one in tokens]})
    return found


def test_the_same_samples_with_other_content_are_seen_by_a_field_that_names_them() -> None:
    """`id` stays, so that what else changes was drawn."""
    first = reading(texts(1))
    assert set(drawn_fields(first, first, reading(texts(2)))) == {"tokens"}


def test_without_a_name_it_is_seen_by_likeness() -> None:
    """Most tokens of a text stay where they are."""

    def unnamed(seed: int, shift: int = 0) -> Reading:
        rows = texts(seed, order=list(range(shift, shift + 12)))
        return reading([{"tokens": one["tokens"]} for one in rows])

    first = unnamed(1)
    assert set(drawn_fields(first, first, unnamed(2))) == {"tokens"}
    assert drawn_fields(first, first, unnamed(2, shift=40)) == {}


def test_another_order_of_the_same_samples_draws_nothing() -> None:
    """Samples are found again by their own id; what goes by the place is no content."""
    first = reading(texts(1, hidden=0.0), ids=True)
    mixed = reading(texts(2, hidden=0.0, order=random.Random(3).sample(range(12), 12)), ids=True)
    assert drawn_fields(first, first, mixed) == {}
    hidden = reading(texts(2, order=random.Random(3).sample(range(12), 12)), ids=True)
    found = drawn_fields(reading(texts(1), ids=True), reading(texts(1), ids=True), hidden)
    assert set(found) == {"tokens"}


def test_what_differs_between_two_equal_readings_is_left_out() -> None:
    """A clock in a sample was not drawn from the generator in question."""
    first = reading([{"id": number, "time": number} for number in range(8)])
    again = reading([{"id": number, "time": number + 100} for number in range(8)])
    assert drawn_fields(first, again, again) == {}


def test_few_samples_say_nothing() -> None:
    """Fewer than four may agree in anything."""
    first, other = reading(texts(1)[:3]), reading(texts(2)[:3])
    assert drawn_fields(first, first, other) == {}


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ([1.0, 2.0], [1.0, 3.0], 0.5, 0.5),
        ([float(k) for k in range(20)], [k + 0.01 for k in range(20)], 0.99, 1.0),
        ([1.0] * 10, [2.0] * 10, 0.0, 0.0),
        ([1.0], [1.0, 2.0], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_likeness_counts_equal_elements_or_correlates(
    one: list[float], other: list[float], least: float, most: float
) -> None:
    """Short lists are only counted."""
    assert least <= likeness(one, other) <= most


def test_a_sketch_is_a_bounded_list_of_numbers() -> None:
    """Texts, numbers, lists and tensors have one."""
    assert sketch("ab") == [97.0, 98.0]
    assert sketch(True) == [1.0]
    assert sketch([3, 4]) == [3.0, 4.0]
    assert len(sketch(torch.rand(3, 100, 100)) or []) == 64
    assert sketch(object()) is None
    assert sketch(["a", "b"]) is None
