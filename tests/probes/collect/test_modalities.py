"""What counts as a modality, by types and shapes."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from dldoctor.probes.collect.modalities import combination, held_in  # noqa: E402
from dldoctor.probes.glance import glance  # noqa: E402


def held(**sample: Any) -> str:
    return combination(held_in(glance(sample)[0]), frozenset())


def test_modalities_are_told_by_what_fields_hold() -> None:
    """Names and single words are no text."""
    assert (
        held(image=torch.rand(3, 16, 16), caption="a dog on the road", id="row 7", label="dog")
        == "image+text"
    )
    assert held(audio=torch.rand(800), input_ids=torch.arange(5)) == "audio+text"
    assert held(clip=torch.rand(4, 3, 16, 16), vector=torch.rand(12), mask=torch.ones(16, 16)) == "video"
    assert held(images=[torch.rand(3, 16, 16)], prompt="x" * 200) == "image+text"


def test_what_is_none_or_empty_is_not_there() -> None:
    """Nor what holds one single value, of which the position is given."""
    assert held(image=None, text="", audio=torch.zeros(0), images=[]) == "none of them"
    fields = held_in(glance({"image": torch.zeros(3, 16, 16), "text": "some words"})[0])
    assert combination(fields, frozenset({0})) == "text"
