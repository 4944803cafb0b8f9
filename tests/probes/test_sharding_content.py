"""Datasets that hold only the part of their rank, so that one index is another item on each."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import pytest

from dldoctor.probes.sharding.content import is_numbered_by_rank, read_content
from dldoctor.probes.sharding.given import from_indices
from dldoctor.probes.sharding.ranks import Ended
from dldoctor.probes.sharding.seen import Seen


def rank(number: int, content: Any = None, **result: Any) -> Ended:
    return Ended(number, "", "run", {"kind": "map", "content": content, **result})


def test_items_are_read_twice_and_no_further_than_they_go() -> None:
    """By their own id, by quiet content, by all content."""
    found = read_content([{"id": number} for number in range(12)], 12, lambda: None)
    assert list(found) == ["0", "1", "2", "3", "10"]
    assert all(first == second and first[0] for first, second in found.values())


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ([5, 6, 7], [5, 6, 7], False),
        ([5, 6, 7], [8, 6, 7], True),
        ([5, 6, 7], [5, 8, 9], True),
        ([5, 6, 7], [5, 6, 9], False),
        ([0, 0, 7], [0, 0, 9], True),
        ([0, 0, 7], [0, 0, 7], False),
    ],
    ids=[
        "equal",
        "other id",
        "id is the number, other content",
        "augmented",
        "only content",
        "the same content",
    ],
)
def test_other_items_are_told_from_augmented_ones(one: list[int], other: list[int], apart: bool) -> None:
    """Own ids and quiet content decide; all content only where there is nothing else."""
    first = {str(place): [one, one] for place in range(3)}
    second = {str(place): [other, other] for place in range(3)}
    assert is_numbered_by_rank([rank(0, first), rank(1, second)]) is apart


def test_content_that_changes_with_each_read_says_nothing() -> None:
    """Masked tokens differ between ranks and within them."""
    first = {str(place): [[0, 1, 2], [0, 3, 4]] for place in range(3)}
    second = {str(place): [[0, 5, 6], [0, 7, 8]] for place in range(3)}
    assert not is_numbered_by_rank([rank(0, first), rank(1, second)])
    assert not is_numbered_by_rank([rank(0, first)])


def test_items_of_such_ranks_are_counted_one_after_the_other(tmp_path: Path) -> None:
    """Ranks of unlike sizes, with what each left out."""
    drawn = {0: (10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 1: (13, [0, 1, 2, 12, 12])}
    ended = []
    for number, (size, indices) in drawn.items():
        seen, folder = Seen(size), tmp_path / str(number)
        seen.add(array("q", indices))
        folder.mkdir()
        (folder / "seen-0").write_bytes(bytes(seen.once) + bytes(seen.more))
        epoch = {
            "epoch": 0, "items": len(indices), "batches": 1, "tail": 1, "first": [0], "order": "", "drawn": None,
            "complete": True, "elapsed_ns": 1, "workers": {},
        }  # fmt: skip
        content = {str(place): [[100 * number + place + 1, 0, 0]] * 2 for place in range(3)}
        result = {"kind": "map", "size": size, "epochs": [epoch], "content": content}
        ended.append(Ended(number, str(folder), "run", result))
    given = from_indices(ended, None)
    whole = given.of_epoch(0)
    assert (given.by_rank, given.size, whole.distinct, whole.repeated) == (True, 32, 14, 1)
    assert [given.name(number) for number in (0, 9, 16, 28)] == [
        "index 0 of rank 0", "index 9 of rank 0", "index 0 of rank 1", "index 12 of rank 1",
    ]  # fmt: skip
    assert [given.name(number) for number in whole.first_repeated(5)] == ["index 12 of rank 1"]
    assert given.seen[0, 0].shared(given.seen[1, 0]) == 0
