"""Two loaders side by side, on a terminal and in the page."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.evidence import Evidence
from dldoctor.evidence.splits import ClassMap, PixelField, Side, SplitsEvidence, TokenField
from dldoctor.render import FORMATS
from dldoctor.render.content.splits import SplitRow, rows, titles
from tests.render import reports
from tests.render.test_terminal import shown

PIXELS = PixelField("image", "centred", -2.1, 2.6, "3x224x224", samples=64)
TOKENS = TokenField("input_ids", "Fast", 32000, pad=0, eos=None, limit=512, padded="right", longest=400)
TRAIN = Side(
    "data.py:train", "train", 103, 8, shuffle=True, drop_last=True, settings_known=True,
    pixels=(PIXELS,), tokens=(TOKENS,), classes=(ClassMap("dataset.classes", {"<b>cat": 0, "dog": 1}),),
)  # fmt: skip
EVAL = Side(
    "data.py:val", "eval", 20, None, shuffle=None, drop_last=False, settings_known=True, pixels=(PIXELS,)
)
SPLITS = SplitsEvidence(TRAIN, EVAL)


def test_each_respect_is_a_row_with_both_values():
    """What only one side has is a dash; where they differ a word says so."""
    found = {row.name: row for row in rows(SPLITS)}
    assert found["`image` values"] == SplitRow(
        "`image` values", "around 0 (-2.1 .. 2.6)", "around 0 (-2.1 .. 2.6)"
    )
    assert found["`image` values"].apart == ""
    assert (found["batch size"].first, found["batch size"].second, found["batch size"].apart) == (
        "8",
        "own batches",
        "differs",
    )
    assert (found["`input_ids` limit"].first, found["`input_ids` limit"].second) == ("512", "-")
    assert found["classes"].first == "2 classes: <b>cat 0, dog 1"
    assert [found[name].second for name in ("order", "drop_last", "items")] == ["own sampler", "no", "20"]


def test_sides_of_one_role_are_numbered():
    """Before and after, say."""
    assert titles(SPLITS) == ("train", "eval")
    assert titles(SplitsEvidence(TRAIN, replace(EVAL, role="train"))) == ("train A", "train B")


def test_the_table_is_shown_and_escaped():
    """On a terminal of 80 columns, and in the page."""
    report = replace(
        reports.healthy_dry_run(), command="compare", evidence=Evidence(splits=SPLITS), loader={}, checks=()
    )
    text = shown(report)
    assert "Side by side\n" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    page = FORMATS["html"](report)
    assert 'href="#splits"' in page
    assert "&lt;b&gt;cat 0" in page
