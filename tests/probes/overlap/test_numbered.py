"""Numbers in lists of two datasets of one class, and the index of datasets made alike."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from dldoctor.probes.overlap.marks import marks_of  # noqa: E402
from dldoctor.probes.overlap.numbered import Numbered, agree, numbered  # noqa: E402
from dldoctor.probes.overlap.places import Places  # noqa: E402


class Pool:
    def __init__(self, count: int, **held: Any) -> None:
        self.count = count
        vars(self).update(held)

    def __len__(self) -> int:
        return self.count


def drawn(dataset: Pool, indices: list[int]) -> Places:
    return Places(indices, [dataset], [(0, at) for at in indices], whole=True)


def every(dataset: Pool) -> Places:
    return drawn(dataset, list(range(len(dataset))))


def test_numbers_of_one_pool_are_candidates() -> None:
    """Not if they only count, and not those of another folder."""
    mine, theirs = Pool(4, idx=[9, 2, 17, 40]), Pool(3, idx=[5, 40, 9])
    assert numbered(every(mine), every(theirs)) == Numbered("idx", [(3, 1), (0, 2)])
    assert numbered(every(Pool(4, idx=[0, 1, 2, 3])), every(Pool(3, idx=[2, 0, 1]))) is None
    one, other = Pool(4, idx=[9, 2, 17, 40], root="train"), Pool(3, idx=[5, 40, 9], root="val")
    assert numbered(every(one), every(other)) is None


def test_indices_of_datasets_made_alike_are_candidates() -> None:
    """Only where a sampler chose, and where their tables are equal."""
    table = torch.arange(6) % 2
    one, other = Pool(6, y=table), Pool(6, y=table.clone())
    assert numbered(drawn(one, [0, 1, 4]), drawn(other, [4, 5])) == Numbered("", [(4, 4)])
    assert numbered(every(one), every(other)) is None
    assert numbered(drawn(one, [0, 1, 4]), drawn(Pool(6, y=1 - table), [4, 5])) is None


def test_they_are_the_same_if_their_labels_agree_as_no_strangers_would() -> None:
    """Eight pairs at least."""
    one = [marks_of(at, {"label": at % 5, "site": at % 7}) for at in range(20)]
    assert agree(list(zip(one, one, strict=True)))
    assert not agree(list(zip(one, one, strict=True))[:6])
    assert not agree(list(pairwise(one)))
    alike = [marks_of(at, {"label": 1}) for at in range(20)]
    assert not agree(list(zip(alike, alike, strict=True)))
