"""DL202 on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.constant_sample import ConstantSample
from dldoctor.evidence import Evidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.finding import Unjudged
from dldoctor.intent import Inferred


def field(path: str, flat: int, dtype: str = "float32", shape: str = "3x8x8", **facts) -> FieldEvidence:
    values = {"present": 1000, "checked": 1000, "min": -2.0, "max": 2.5, **facts}
    samples = tuple(range(min(flat, 20)))
    shapes = (Tally(shape, 1000),)
    return FieldEvidence(
        path, "sample", values.pop("container", "Tensor"), dtype, constant=Offenders(flat, samples), shapes=shapes, **values
    )  # fmt: skip


def judged(*fields: FieldEvidence, roles: dict[str, str] | None = None) -> list[tuple]:
    inferred = {path: Inferred(role, 0.95, "") for path, role in (roles or {}).items()}
    found = ConstantSample().judge(Case(Evidence(fields=fields), inferred=inferred))
    return [(f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message) for f in found]


def test_one_black_image_is_named() -> None:
    """From one in a thousand on it is a warning, below a note."""
    roles = {"image": "pixel_values"}
    message = "`image` is black (all 0) in 1 of 1000 samples (0.1%): sample 0"
    assert judged(field("image", 1, constant_value=0.0), roles=roles) == [("warning", message)]
    rare = field("image", 1, constant_value=0.0, checked=2000)
    assert [found[0] for found in judged(rare, roles=roles)] == ["info"]


def test_silence_and_vectors_are_named_as_such() -> None:
    """The words follow the role."""
    clip = field("clip", 2, shape="16000", constant_value=0.0)
    message = "`clip` is silent (all 0) in 2 of 1000 samples (0.2%): samples 0 and 1"
    assert judged(clip, roles={"clip": "audio"}) == [("warning", message)]
    vector = field("embedding", 2, shape="64", constant_value=0.0)
    message = "`embedding` is one single value (0) in 2 of 1000 samples (0.2%): samples 0 and 1"
    assert judged(vector) == [("warning", message)]


def test_a_map_of_unknown_meaning_is_a_note() -> None:
    """A heat map without a peak looks the same."""
    assert [found[0] for found in judged(field("heat", 2, shape="17x64x64"))] == ["info"]


@pytest.mark.parametrize(
    "role",
    [
        "segmentation_mask",
        "labels",
        "segment_ids",
        "position_ids",
        "attention_mask",
        "loss_mask",
        "class_label",
    ],
)
def test_fields_that_are_often_one_value_are_not_judged(role: str) -> None:
    """Masks, labels and ids."""
    reason = "no field holds images, clips or vectors of floating-point numbers"
    assert judged(field("x", 3), roles={"x": role}) == [("not-applicable", reason)]


@pytest.mark.parametrize(
    "facts",
    [
        {"binary": True, "min": 0.0, "max": 1.0},
        {"integral": True, "min": 0.0, "max": 9.0},
        {"min": -3.4e38, "max": 0.0},
        {"dtype": "int64"},
        {"container": "PIL.Image", "dtype": None, "modes": (Tally("L", 1000),)},
    ],
    ids=["binary", "whole numbers", "additive mask", "int64", "grey Pillow image"],
)
def test_values_that_look_like_masks_or_labels_are_not_judged(facts: dict) -> None:
    """Without a role the values decide."""
    assert [found[0] for found in judged(field("x", 3, **facts))] == ["not-applicable"]


def test_what_is_mostly_constant_is_of_that_kind() -> None:
    """Above half it is usual, unless it surely is an image and always the same value."""
    assert judged(field("weights", 501, shape="64", constant_value=1.5)) == []
    assert len(judged(field("weights", 500, shape="64", constant_value=1.5))) == 1
    roles = {"image": "pixel_values"}
    assert judged(field("image", 900), roles=roles) == []
    every = judged(field("image", 1000, constant_value=0.0, binary=True), roles=roles)
    assert [found[0] for found in every] == ["warning"]


def test_two_views_of_one_sample_are_one_finding() -> None:
    """One black file, one finding."""
    roles = {"image": "pixel_values", "thumbnail": "pixel_values"}
    found = judged(field("image", 2), field("thumbnail", 2), roles=roles)
    message = "`image` and `thumbnail` are one single value in 2 of 1000 samples (0.2%): samples 0 and 1"
    assert found == [("warning", message)]


def test_values_that_were_not_looked_at_are_not_clean() -> None:
    """No look, no judgement."""
    assert [found[0] for found in judged(field("x", 0, checked=0))] == ["insufficient-evidence"]
