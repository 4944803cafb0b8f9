"""Images that only some samples have: what tells their rows, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from tests.probes.alignment.tracing import trace
from tests.zoo._rows_apart import Pairs

Samples = list[dict[str, Any]]
PLACEHOLDER = 990


class Some(Pairs):
    """Texts, three of four with an image."""

    def __init__(self, *, placeholder: bool = False) -> None:
        super().__init__("image-text")  # type: ignore[no-untyped-call]
        self.placeholder = placeholder

    def __getitem__(self, index: int) -> Any:
        own = super().__getitem__(index)  # type: ignore[no-untyped-call]
        sample = {**own, "name": f"text-{index:04d}", "number": index}
        if index % 4 == 1:
            return {**sample, "image": None}
        if self.placeholder:
            sample["ids"] = torch.cat([torch.tensor([PLACEHOLDER]), sample["ids"]])
        return sample


def has(samples: Samples) -> list[bool]:
    return [one["image"] is not None for one in samples]


def collate(samples: Samples) -> dict[str, Any]:
    images = [one["image"] for one in samples if one["image"] is not None]
    return {
        "image": torch.stack(images) if images else torch.zeros(0, 3, 12, 12),
        "ids": pad_sequence([one["ids"] for one in samples], batch_first=True),
        "number": [one["number"] for one in samples],
        "name": [one["name"] for one in samples],
    }


TOLD: dict[str, Callable[[Samples], Any]] = {
    "a count": lambda samples: torch.tensor(has(samples)).long(),
    "a kind": lambda samples: ["image" if one else "text" for one in has(samples)],
    "an index": lambda samples: torch.tensor(has(samples)).nonzero()[:, 0],
    "ends": lambda samples: torch.tensor([0, *has(samples)]).cumsum(0),
    "names": lambda samples: [one["name"] for one in samples if one["image"] is not None],
}


@pytest.mark.parametrize("by", TOLD)
def test_rows_that_another_field_tells_are_no_fault(by: str) -> None:
    """A count, a kind, an index, where each begins, or names to join by."""
    found = trace(Some(), lambda samples: {**collate(samples), "told": TOLD[by](samples)})
    assert found.wrong == 0, found.misplaced


def test_a_placeholder_tells_them_too() -> None:
    """A token that all rows with an image have, and no other."""
    assert trace(Some(placeholder=True), collate).wrong == 0


def test_names_and_numbers_of_all_rows_tell_nothing() -> None:
    """The first text without an image is followed by images of others."""
    found = trace(Some(), collate)
    first = found.misplaced[0]
    assert (first.first, first.path, first.lost) == (1, "image", (1, 5))
    assert found.wrong <= found.rows == 18


def test_one_field_that_has_all_samples_is_enough() -> None:
    """However many fields have lost the same samples."""

    def filtered(samples: Samples) -> dict[str, Any]:
        kept = [one for one in samples if one["image"] is not None]
        parts = [{"ids": one["ids"], "picture": one["image"]} for one in kept]
        return {"names": [one["name"] for one in samples], "parts": parts}

    found = trace(Some(), filtered)
    first = found.misplaced[0]
    assert (first.first, first.against) == (1, "names")


def test_a_queue_longer_than_the_batch_is_no_row() -> None:
    """Negatives of this batch and of an earlier one."""

    def queued(samples: Samples) -> dict[str, Any]:
        whole = pad_sequence([one["ids"] for one in samples], batch_first=True)
        return {
            "ids": whole,
            "name": [one["name"] for one in samples],
            "queue": torch.cat([whole.flip(0), whole[:3]]),
        }

    assert trace(Some(), queued).wrong == 0
