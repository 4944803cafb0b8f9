"""A row is given to the sample that it was made of, wherever the collate put it."""

from __future__ import annotations

from typing import Any

import torch

from dldoctor.probes.alignment.rows.order import sources_of

SAMPLES = [
    {
        "x": torch.rand(20, generator=torch.Generator().manual_seed(at)),
        "name": f"the sample number {at}",
        "y": at % 2,
    }
    for at in range(4)
]


def stacked(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """All fields in the order given."""
    return {
        "x": torch.stack([one["x"] for one in samples]),
        "name": [one["name"] for one in samples],
        "y": torch.tensor([one["y"] for one in samples]),
    }


def sources(collate: Any) -> list[int | None] | None:
    """The sources of the rows of a collate."""
    return sources_of(collate(list(SAMPLES)), SAMPLES, collate)


def test_whole_samples_that_are_sorted_are_followed():
    """Their ids and files go with them."""
    assert sources(stacked) == [0, 1, 2, 3]
    assert sources(lambda some: stacked(some[::-1])) == [3, 2, 1, 0]


def test_a_field_that_went_astray_does_not_move_the_row():
    """Neither do labels, which others have too."""

    def labels_reversed(some: list[dict[str, Any]]) -> dict[str, Any]:
        made = stacked(some)
        return {**made, "y": made["y"].flip(0)}

    def texts_moved(some: list[dict[str, Any]]) -> dict[str, Any]:
        made = stacked(some)
        return {**made, "name": made["name"][1:] + made["name"][:1]}

    assert sources(labels_reversed) == [0, 1, 2, 3]
    assert sources(texts_moved) == [0, 1, 2, 3]


def test_rows_that_tell_nothing_have_no_source():
    """A blend of all samples is of none."""
    assert (
        sources(
            lambda some: {
                "x": torch.stack([one["x"] for one in some]).sum(0, keepdim=True).expand(len(some), 20)
            }
        )
        is None
    )
