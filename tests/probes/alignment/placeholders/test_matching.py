"""Runs and units at the least cost."""

from __future__ import annotations

from dldoctor.probes.alignment.placeholders.matching import Pair, Unit, matched


def pairs(
    runs: list[int], sizes: list[int], *, dummies: tuple[int, ...] = (), splits: bool = False
) -> list[Pair]:
    return matched(runs, [Unit(size, at, at in dummies, splits) for at, size in enumerate(sizes)])


def test_equal_runs_go_one_to_one() -> None:
    """The usual case."""
    assert pairs([4, 16], [4, 16]) == [Pair((0,), (0,)), Pair((1,), (1,))]


def test_swapped_runs_are_told_slot_by_slot() -> None:
    """Neither is taken for missing."""
    assert pairs([4, 16], [16, 4]) == [Pair((0,), (0,)), Pair((1,), (1,))]


def test_images_without_a_word_between_them_share_a_run() -> None:
    """Whole, or with a token lost."""
    assert pairs([20, 8], [4, 16, 8]) == [Pair((0,), (0, 1)), Pair((1,), (2,))]
    assert pairs([19, 8], [4, 16, 8]) == [Pair((0,), (0, 1)), Pair((1,), (2,))]


def test_a_lost_item_leaves_its_run_alone() -> None:
    """In the middle, where sizes tell which."""
    assert pairs([4, 8, 16], [4, 16]) == [Pair((0,), (0,)), Pair((1,), ()), Pair((2,), (1,))]


def test_a_lost_run_leaves_its_item_alone() -> None:
    """At the end."""
    assert pairs([4, 8], [4, 8, 16]) == [Pair((0,), (0,)), Pair((1,), (1,)), Pair((), (2,))]


def test_a_short_run_belongs_to_the_nearer_of_two() -> None:
    """The item without a run is the other one."""
    assert pairs([2], [3, 1]) == [Pair((0,), (0,)), Pair((), (1,))]
    assert pairs([2], [7, 3]) == [Pair((), (0,)), Pair((0,), (1,))]


def test_a_dummy_goes_without_a_run_and_may_have_one() -> None:
    """The one of the same size that is a dummy is left out."""
    assert pairs([16, 16], [16, 16, 16], dummies=(1,)) == [Pair((0,), (0,)), Pair((), (1,)), Pair((1,), (2,))]
    assert pairs([16, 16], [16, 16], dummies=(1,)) == [Pair((0,), (0,)), Pair((1,), (1,))]


def test_only_tiles_and_frames_are_split() -> None:
    """Two runs for one item."""
    assert pairs([8, 8], [16], splits=True) == [Pair((0, 1), (0,))]
    assert Pair((0, 1), (0,)) not in pairs([8, 8], [16])


def test_too_many_to_search_go_one_to_one() -> None:
    """Thousands of tiles of which none fits."""
    found = pairs([3] * 900, [4] * 901)
    assert found[:2] == [Pair((0,), (0,)), Pair((1,), (1,))]
    assert found[-1] == Pair((), (900,))
