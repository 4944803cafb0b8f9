"""Each way of taking rows apart is found on each kind of data, and each healthy one is silent."""

from __future__ import annotations

import pytest
import torch

from tests.probes.alignment.tracing import trace
from tests.zoo._rows_apart import FAULTS, Apart, Pairs

KINDS = ("image-text", "image-mask", "image-boxes", "audio-text", "plain")
SECOND = {
    "image-text": "ids",
    "image-mask": "mask",
    "image-boxes": "boxes",
    "audio-text": "ids",
    "plain": "y",
}
FIRST = {
    "image-text": "image",
    "image-mask": "image",
    "image-boxes": "image",
    "audio-text": "audio",
    "plain": "x",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", [one for one in FAULTS if one != "none"])
@pytest.mark.parametrize("side", ["first", "second"])
def test_a_field_that_is_taken_apart_is_found(kind: str, fault: str, side: str) -> None:
    """With the first wrong row and a field that disagrees."""
    field = (FIRST if side == "first" else SECOND)[kind]
    found = trace(Pairs(kind), Apart(field, fault))
    assert found.wrong > 0
    first = found.misplaced[0]
    expected = {"shift": 0, "filter": 2, "drop_last": 5, "swap": 1, "repeat_first": 1}
    if fault in expected:
        assert first.first == expected[fault]
    assert {first.path, first.against} == {FIRST[kind], SECOND[kind]}
    assert (found.told_by, found.twins, found.mixed) == (None, {}, False)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_where_all_fields_follow(kind: str) -> None:
    """As the samples come, and sorted as whole samples."""
    field = SECOND[kind]
    assert trace(Pairs(kind), Apart(field, "none")).wrong == 0
    plain = Apart(field, "none")
    by_sum = lambda samples: plain(sorted(samples, key=lambda one: float(one[field].float().sum())))  # noqa: E731
    found = trace(Pairs(kind), by_sum)
    assert (found.wrong, found.rows) == (0, 18)


def test_rows_are_traced_through_padding() -> None:
    """Full rows are equal to what the sample gave, shorter ones are padded."""
    found = trace(Pairs("audio-text"), Apart("ids", "none"))
    fields = {one.path: one for one in found.fields}
    assert (fields["ids"].traced, fields["ids"].rows) == (18, 18)
    assert set(fields["ids"].how) == {"equal", "padded"}


class Whole(Apart):
    """Takes nothing but a full batch."""

    def __call__(self, samples: list[dict[str, torch.Tensor]]) -> dict[str, object]:
        assert len(samples) == 6
        batch = super().__call__(samples)
        return {**batch, "pairs": torch.eye(6).repeat(1, 2), "row": torch.arange(6)}


@pytest.mark.parametrize("fault", ["sort", "shift", "swap"])
def test_a_collate_that_takes_no_sample_alone_is_tried_in_another_order(fault: str) -> None:
    """Which of the two fields is wrong cannot be told then."""
    found = trace(Pairs("image-text"), Whole("ids", fault))
    (pair,) = found.by_order.items()
    assert set(pair) == {"image", "ids"}


def test_such_a_collate_may_be_healthy() -> None:
    """All rows follow; what is the same in each batch need not."""
    found = trace(Pairs("image-text"), Whole("ids", "none"))
    assert (found.by_order, found.reordered, found.unjudged) == ({}, 2, None)
