"""Samples and batches of any form as paths and leaves."""

from __future__ import annotations

import enum
import pathlib
from collections import OrderedDict, UserDict, namedtuple
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from dldoctor.roles import container_of, leaves
from dldoctor.roles.flatten import MAX_LEAVES

T = torch.zeros(3, 4, 4)
Point = namedtuple("Point", "x y")  # noqa: PYI024 - users have these too


@dataclass
class Record:
    key: str
    image: Any


class Tagged(torch.Tensor):
    """A subclass, as of annotated images."""


class Opaque:
    def __init__(self) -> None:
        self.size = (3, 4)
        self._cache = 7

    @property
    def costly(self) -> NoReturn:
        raise AssertionError("a property of an unknown object was called")


class Broken(UserDict[str, int]):
    def keys(self) -> NoReturn:
        raise OSError("the store is closed")


class Colour(enum.Enum):
    RED = 1


def forms(value: object) -> dict[str, str]:
    return {path: container_of(leaf) for path, leaf in leaves(value)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (T, {"value": "Tensor"}),
        (3, {"value": "int"}),
        (None, {"value": "None"}),
        ("words", {"value": "str"}),
        ([1, 2, 3], {"value": "list"}),
        ([], {"value": "list"}),
        ({}, {}),
        ({"a": {"b": 1.5, "c": None}}, {"a.b": "float", "a.c": "None"}),
        ({"ids": [[1, 2], [3, 4]], "ragged": [[1], [2, 3]]}, {"ids": "list[list]", "ragged": "list[list]"}),
        ({"names": ["a", "b"]}, {"names": "list[str]"}),
        ({"crops": [T, T]}, {"crops": "list[Tensor]"}),
        ({"either": [T, None]}, {"either": "list[Tensor]"}),
        ((T, 3), {"0": "Tensor", "1": "int"}),
        ((1, 2), {"0": "int", "1": "int"}),
        (("ein Satz", "a sentence"), {"0": "str", "1": "str"}),
        ([T, T[0, 0]], {"0": "Tensor", "1": "Tensor"}),
        ([T] * 20, {"value": "list[Tensor]"}),
        (Point(1, T), {"x": "int", "y": "Tensor"}),
        (Record("k", T), {"key": "str", "image": "Tensor"}),
        (UserDict(a=1), {"a": "int"}),
        (OrderedDict(a=T), {"a": "Tensor"}),
        ({"image": Image.new("L", (2, 2))}, {"image": "PIL.Image"}),
        (np.zeros(3), {"value": "ndarray"}),
        ({"mixed": np.array([T, "a"], dtype=object)}, {"mixed.0": "Tensor", "mixed.1": "str"}),
        ({"x": np.float32(1.0)}, {"x": "float32"}),
        ({"x": T.as_subclass(Tagged)}, {"x": "Tagged"}),
        (
            {"where": pathlib.PurePosixPath("a/b"), "colour": Colour.RED},
            {"where": "PurePosixPath", "colour": "Colour"},
        ),
        ({"a.b": 1}, {r"a\.b": "int"}),
        ({3: 1, ("x", "y"): 2}, {"3": "int", "('x', 'y')": "int"}),
        ({"store": Broken()}, {"store": "Broken"}),
        ([{"a": 1, "b": "x"}, {"a": 2}], {"a": "list", "b": "list[str]"}),
        ([(T, 1), (T, 2)], {"0": "list[Tensor]", "1": "list"}),
        ([{"input": T}, {"target": T}], {"0.input": "Tensor", "1.target": "Tensor"}),
        (((T, T), ({"boxes": T}, {"boxes": T})), {"0": "tuple[Tensor]", "1.boxes": "list[Tensor]"}),
        (
            {"turns": [{"role": "user", "text": "hi"}] * 3},
            {"turns.role": "list[str]", "turns.text": "list[str]"},
        ),
        ([["a", "b"], ["c", "d"]], {"0": "list[str]", "1": "list[str]"}),
        (({"x": T}, {"x": T}), {"0.x": "Tensor", "1.x": "Tensor"}),
    ],
)
def test_a_value_is_read_as_these_leaves(value: object, expected: dict[str, str]) -> None:
    """Each form gives the paths that a person would write."""
    assert forms(value) == expected


def test_properties_of_unknown_objects_are_not_called() -> None:
    """Looking at a sample must not do work."""
    assert forms({"object": Opaque()}) == {"object.size": "tuple"}


def test_a_column_of_records_keeps_the_place_of_what_is_missing() -> None:
    """Row i of a column belongs to record i."""
    assert leaves([{"a": 1, "b": 5}, {"a": 2}]) == [("a", [1, 2]), ("b", [5, None])]


def test_a_cycle_ends() -> None:
    """A sample that holds itself is read once."""
    sample: dict[str, Any] = {"a": 1}
    sample["self"] = sample
    sample["list"] = [sample, 2]
    assert forms(sample) == {"a": "int", "list.1": "int"}


def test_the_number_of_leaves_is_bounded() -> None:
    """A sample with an entry for every user of a site does not flood the report."""
    sample = {"wide": dict.fromkeys(range(10_000), 1), **{f"k{i}": i for i in range(1000)}}
    assert len(leaves({"first": sample})) <= MAX_LEAVES


def groups(count: int, rows: int) -> list[dict[str, Any]]:
    """What a collate of sentence pairs returns beside the scores."""
    return [{"ids": torch.zeros(rows, 5 + i), "mask": torch.ones(rows, 5 + i)} for i in range(count)]


def test_groups_of_fields_that_lie_side_by_side_keep_their_places() -> None:
    """As sentence pairs and triplets come: each group has all rows of the batch."""
    expected = ["0.0.ids", "0.0.mask", "0.1.ids", "0.1.mask", "1"]
    for rows in (1, 16):
        assert [path for path, _ in leaves((groups(2, rows), torch.zeros(rows)))] == expected
    named = {"features": groups(3, 8), "labels": torch.zeros(8)}
    assert [path for path, _ in leaves(named)][:3] == ["features.0.ids", "features.0.mask", "features.1.ids"]


@pytest.mark.parametrize(
    "batch",
    [
        (torch.zeros(2, 3, 8, 8), [{"boxes": torch.zeros(3, 4)}, {"boxes": torch.zeros(3, 4)}]),
        (torch.zeros(2, 3, 8, 8), [{"boxes": torch.zeros(2, 4)}, {"boxes": torch.zeros(2, 4)}]),
        ([torch.zeros(3, 8, 8)] * 2, [{"boxes": torch.zeros(3, 4)}] * 2),
        (torch.zeros(4, 3, 8, 8), [{"boxes": torch.zeros(4, 4)}] * 4),
    ],
)
def test_one_record_for_each_row_is_read_by_column(batch: object) -> None:
    """Detection targets, however many boxes there are."""
    assert [path for path, _ in leaves(batch)][-1] == "1.boxes"


def test_depth_is_bounded() -> None:
    """Nesting without end becomes one leaf."""
    sample: Any = 1
    for _ in range(100):
        sample = {"in": sample}
    assert forms(sample) == {".".join(["in"] * 9): "dict"}


scalars = st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=4), st.booleans(), st.just(T))
nested = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=4), inner, max_size=4),
    ),
    max_leaves=20,
)


@given(nested)
def test_any_nesting_gives_leaves_with_different_paths(value: object) -> None:
    """Whatever the nesting, no path stands for two leaves and nothing raises."""
    paths = [path for path, _ in leaves(value)]
    assert len(paths) == len(set(paths))
