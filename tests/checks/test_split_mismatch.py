"""Two sides that differ: what is a fault, what may be meant, what is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.split_mismatch import SplitMismatch
from dldoctor.evidence import Evidence
from dldoctor.evidence.splits import PixelField, Side, SplitsEvidence, TokenField
from dldoctor.finding import Finding, Unjudged

PIXELS = PixelField("image", "centred", -2.1, 2.6, "3x224x224", samples=64)
TOKENS = TokenField("input_ids", "Fast", 32000, pad=0, eos=2, limit=512, padded="right", longest=400)
TRAIN = Side(
    "data.py:train", "train", 103, 8, shuffle=True, drop_last=True, settings_known=True, pixels=(PIXELS,)
)
EVAL = replace(TRAIN, target="data.py:eval", role="eval", shuffle=False, drop_last=False)


def judged(first: Side, second: Side) -> list[tuple[str, str]]:
    case = Case(Evidence(splits=SplitsEvidence(first, second)))
    return [
        (one.level.value, one.message) if isinstance(one, Finding) else (one.status, one.reason)
        for one in SplitMismatch().judge(case)
        if isinstance(one, Finding | Unjudged)
    ]


def test_the_same_preparation_is_clean():
    """Training may shuffle and drop."""
    assert judged(TRAIN, EVAL) == []


def test_another_scale_of_pixels_is_an_error():
    """Both ranges are said; the path may differ where each side has one field of pixels."""
    raw = replace(PIXELS, path="pixels", scale="unit", low=0.0, high=1.0)
    assert judged(TRAIN, replace(EVAL, pixels=(raw,))) == [
        ("error", "pixels of `image` are around 0 (-2.1 .. 2.6) in train and 0 to 1 (0 .. 1) in eval")
    ]
    assert judged(TRAIN, replace(EVAL, pixels=(replace(raw, samples=31),))) == []


def test_pixels_that_go_much_farther_on_one_side():
    """Erased parts and noise widen the range less than threefold; what is normalised twice is named."""
    wide = replace(PIXELS, low=-9.8, high=8.1)
    assert judged(replace(TRAIN, pixels=(wide,)), EVAL) == [
        ("warning", "pixels of `image` go from -9.8 to 8.1 in train and from -2.1 to 2.6 in eval")
    ]
    assert judged(replace(TRAIN, pixels=(replace(PIXELS, low=-4.5, high=4.4),)), EVAL) == []
    twice = replace(wide, scale="normalised-twice", low=-11.37, high=9.93)
    assert judged(replace(TRAIN, pixels=(twice,)), EVAL) == [
        (
            "error",
            "pixels of `image` are normalised twice (-11.37 .. 9.93) in train and around 0 (-2.1 .. 2.6) in eval",
        )
    ]


def test_another_size_may_be_meant():
    """So it is a warning; a size that varies is none."""
    larger = replace(PIXELS, shape="3x256x256")
    assert judged(TRAIN, replace(EVAL, pixels=(larger,))) == [
        ("warning", "pixels of `image` are 3x224x224 in train and 3x256x256 in eval")
    ]
    assert judged(TRAIN, replace(EVAL, pixels=(replace(PIXELS, shape=None),))) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"pad": 1}, [("error", "`input_ids` has the pad id 0 in train and the pad id 1 in eval")]),
        ({"pad": None}, []),
        (
            {"vocabulary": 32001},
            [
                (
                    "error",
                    "`input_ids` has a vocabulary of 32000 ids in train and a vocabulary of 32001 ids in eval",
                )
            ],
        ),
        ({"limit": 256}, [("warning", "rows of `input_ids` are cut at 512 in train and at 256 in eval")]),
        (
            {"padded": "left"},
            [("warning", "rows of `input_ids` are padded on the right in train and on the left in eval")],
        ),
        ({"padded": "none"}, []),
    ],
)
def test_tokens_must_be_prepared_alike(change, expected):
    """What is not known for sure on both sides is not held against them."""
    first = replace(TRAIN, pixels=(), tokens=(TOKENS,))
    assert judged(first, replace(EVAL, pixels=(), tokens=(replace(TOKENS, **change),))) == expected


def test_generation_is_padded_on_the_left():
    """Where the loader is said to feed it."""
    left = replace(EVAL, role="generate", pixels=(), tokens=(replace(TOKENS, padded="left"),))
    assert judged(replace(TRAIN, pixels=(), tokens=(TOKENS,)), left) == []


def test_an_evaluation_that_leaves_items_out_is_an_error():
    """By how many; where nothing is left over, or the settings are ours, it is none."""
    assert judged(TRAIN, replace(EVAL, drop_last=True)) == [
        ("error", "the eval loader leaves out 7 of 103 items: `drop_last` with batches of 8")
    ]
    assert judged(TRAIN, replace(EVAL, drop_last=True, items=104)) == []
    assert judged(TRAIN, replace(EVAL, drop_last=True, settings_known=False)) == []


def test_an_evaluation_that_is_shuffled_is_worth_knowing():
    """It harms no metric by itself."""
    assert [level for level, _ in judged(TRAIN, replace(EVAL, shuffle=True))] == ["info"]


def test_sides_with_nothing_in_common_are_not_judged():
    """Rather than clean."""
    assert judged(replace(TRAIN, pixels=()), replace(EVAL, pixels=())) == [
        ("not-applicable", "the sides have no pixels or tokens in common")
    ]
