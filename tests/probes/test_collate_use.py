"""Whether a batch depends on a field."""

from __future__ import annotations

import random
from typing import Any

import torch

from dldoctor.probes.collate_use import is_used

IDS = (0, 1, 2)


def read(index: int) -> tuple[Any]:
    """A pair, a picture, a name and a constant, made anew each time."""
    picture = torch.arange(4) + index
    return (
        {"chosen": [index, 7], "rejected": [index + 9], "image": picture, "name": f"n{index}", "unit": 1},
    )


def collate(samples: list[dict[str, Any]]) -> dict[str, Any]:
    rows = [one["chosen"] for one in samples] + [one.pop("rejected") for one in samples]
    return {"input_ids": rows, "images": torch.stack([one["image"] for one in samples])}


def test_renamed_and_joined_fields_are_used_and_others_are_not() -> None:
    """A collate may also take fields out of its samples."""
    used = {name: is_used(read, collate, IDS, name) for name in ("chosen", "rejected", "image", "name")}
    assert used == {"chosen": True, "rejected": True, "image": True, "name": False}


def test_nothing_is_said_of_what_cannot_be_tried() -> None:
    """One value for all, no such field, samples that are no mappings, a collate that draws by itself."""
    assert is_used(read, collate, IDS, "unit") is None
    assert is_used(read, collate, IDS, "other") is None
    assert is_used(lambda index: ((index, index),), list, IDS, "0") is None
    own = random.Random(0)
    assert is_used(read, lambda samples: {"x": own.random()}, IDS, "name") is None


def test_a_collate_that_stumbles_over_the_field_uses_it() -> None:
    """Fields that must agree in length."""

    def strict(samples: list[dict[str, Any]]) -> dict[str, Any]:
        assert all(one["name"] == f"n{one['chosen'][0]}" for one in samples)
        return {"x": torch.zeros(2)}

    assert is_used(read, strict, IDS, "name") is True
