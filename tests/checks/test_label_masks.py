"""DL301, DL308, DL309, DL310 on hand-made rows."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.label_pad_trained import LabelPadTrained
from dldoctor.checks.mask_hides_tokens import MaskHidesTokens
from dldoctor.checks.pad_attended import PadAttended
from dldoctor.checks.padding_side import PaddingSide
from tests.checks.label_cases import GROUP, WORDS, judged, levels, numbered, rows


def test_padding_that_is_trained_is_counted_against_all_padding() -> None:
    """Two of the four padded positions of two rows."""
    table = numbered(rows(1, pad_trained=2), rows(1))
    (found,) = judged(LabelPadTrained(), table)
    assert found.message == (
        "2 padded positions of 4 (50%) in 1 row of 2 carry a label that is trained; padding is told by the lengths of "
        "the samples"
    )
    assert levels(LabelPadTrained(), rows(4)) == []


def test_a_guessed_pad_id_proves_less() -> None:
    """Padding that only a run of one id suggests."""
    guessed = replace(WORDS, sources={"pad": "values"})
    assert levels(LabelPadTrained(), rows(4, pad_trained=1, known="pad"), words=guessed) == ["warning"]
    assert levels(LabelPadTrained(), rows(4, pad_trained=1, known="pad")) == ["error"]


def test_hidden_tokens_name_the_pad_id_that_ends_texts() -> None:
    """The mask was made from the id."""
    table = rows(2, hidden=3, hidden_at=5, eos=4, eos_trained=0)
    (found,) = judged(MaskHidesTokens(), table, words=replace(WORDS, pad=1))
    assert found.message == (
        "the mask is 0 on 6 real tokens in 2 rows of 2; pad id and end token are both 1, and the mask seems made from "
        "the id; 2 of these rows train no end token"
    )
    assert levels(MaskHidesTokens(), rows(2), group=replace(GROUP, mask=None)) == ["not-applicable"]


def test_attended_padding_hurts_by_where_it_stands() -> None:
    """Before the text, behind it, or trained too (then DL301 tells)."""
    assert levels(PadAttended(), rows(4, attended=2, left=2, right=0)) == ["error"]
    assert levels(PadAttended(), rows(4, attended=2)) == ["warning"]
    assert levels(PadAttended(), rows(4, attended=2), intent={"task": "mlm"}) == ["error"]
    assert levels(PadAttended(), rows(4, attended=2, pad_trained=2)) == ["info"]


def test_the_side_of_padding_is_judged_by_the_use() -> None:
    """Right padding is for training, left padding for generation; both at once is neither."""
    assert levels(PaddingSide(), rows(4), intent={"role": "generate"}) == ["error"]
    assert levels(PaddingSide(), rows(4), intent={"role": "train"}) == []
    assert levels(PaddingSide(), rows(4)) == []
    left = rows(4, left=2, right=0)
    assert levels(PaddingSide(), left, intent={"role": "generate"}) == []
    assert levels(PaddingSide(), numbered(rows(4), left)) == ["warning"]
    assert levels(PaddingSide(), numbered(rows(4), left), intent={"role": "generate"}) == ["error"]
    assert levels(PaddingSide(), rows(4), intent={"role": "generate", "task": "seq2seq"}) == [
        "not-applicable"
    ]
