"""A collate that goes by its first sample, and others that only look so."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from dldoctor.probes.labels.collate_order import _tried
from tests.zoo._chat import IGNORED, PAD, padded, words

Sample = dict[str, Any]


def told(collate: Callable[[list[Sample]], Any]) -> list[str]:
    """Return the fields that are said to go by the first sample."""
    rows = [
        {"ids": words(number, 12 + number // 2 % 2), "weight": number if number % 2 else number / 2}
        for number in range(8)
    ]
    pipeline = SimpleNamespace(dataset=rows, torch_loader=SimpleNamespace(collate_fn=collate))
    session = SimpleNamespace(note=lambda *_: None)
    return _tried(pipeline, session)  # type: ignore[arg-type]


def plain(samples: list[Sample]) -> Sample:
    """Pad the ids."""
    return {"ids": padded([one["ids"] for one in samples], PAD)}


def masked_at_random(samples: list[Sample]) -> Sample:
    """Hide words that random numbers choose."""
    ids = plain(samples)["ids"]
    chosen = torch.rand(ids.shape) < 0.3
    return {"ids": ids.masked_fill(chosen, 4), "labels": ids.masked_fill(~chosen, IGNORED)}


def sorted_by_length(samples: list[Sample]) -> Sample:
    """Longest first; of equal lengths, the one that came first."""
    samples.sort(key=lambda one: -len(one["ids"]))
    return plain(samples)


def with_neighbour(samples: list[Sample]) -> Sample:
    """The text of the sample before as a negative."""
    ids = plain(samples)["ids"]
    return {"ids": ids, "negatives": ids.roll(1, 0)}


def centred(samples: list[Sample]) -> Sample:
    """Numbers relative to the mean of the batch, which rounds differently in another order."""
    weights = torch.tensor([float(one["weight"]) / 3 for one in samples])
    return plain(samples) | {"weight": weights - sum(weights) / len(weights)}


@pytest.mark.parametrize("collate", [plain, masked_at_random, sorted_by_length, with_neighbour, centred])
def test_order_and_chance_are_not_the_first_sample(collate: Callable[[list[Sample]], Any]) -> None:
    """Rows are compared as a set, and what changes under other random numbers is left out."""
    assert told(collate) == []


def test_a_type_and_a_value_of_the_first_sample_are_told() -> None:
    """A whole number in front makes whole numbers of all."""

    def by_first(samples: list[Sample]) -> Sample:
        kind = torch.tensor(samples[0]["weight"]).dtype
        weights = [torch.tensor(one["weight"]).to(kind) for one in samples]
        return masked_at_random(samples) | {
            "weight": torch.stack(weights),
            "source": torch.full((len(samples),), samples[0]["ids"][0]),
        }

    assert told(by_first) == ["source", "weight"]
