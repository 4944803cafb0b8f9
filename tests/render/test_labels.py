"""What a shown row of tokens has to predict, as its labels stand."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.label_rows import LabelRow, LabelTable
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence, ShownRow, ShownToken
from dldoctor.render.clean_text import fold_to_ascii
from dldoctor.render.content.aims import aims
from dldoctor.render.content.labels import field_lines, row_views, title
from dldoctor.render.content.token_sums import sum_lines


def token(
    at: int, text: str, role: Any = "trained", label: int | None = None, label_text: str = ""
) -> ShownToken:
    return ShownToken(at, 10 + at, 10 + at if label is None else label, 1, role, text, label_text=label_text)


def group(kind: Any, **more: Any) -> LabelGroup:
    return LabelGroup("input_ids", labels="labels", label_kind=kind, ignored=-100, **more)


def test_words_that_follow_are_predicted_from_the_position_before() -> None:
    """Labels at their own position, moved by the model, and labels that the data moved."""
    row = [token(0, "hi", "ignored"), token(1, "there"), token(2, "you")]
    for kind in ("same", "shifted"):
        assert aims(group(kind), row) == (
            "position 0 (`hi`) predicts `there`",
            "position 1 (`there`) predicts `you`",
        )


def test_masked_words_are_predicted_at_their_own_position() -> None:
    """The mask, another word in its place, and a word that was left."""
    row = [token(0, "a", "ignored", -100), token(1, "[MASK]", label=5, label_text="cat"), token(2, "sat")]
    assert aims(group("mlm"), row) == (
        "position 1 (`[MASK]`) predicts its own word, `cat`",
        "position 2 (`sat`) predicts itself",
    )
    assert aims(group("mlm"), [token(3, "", label=5)]) == ("position 3 (`13`) predicts its own word, `5`",)


def test_classes_and_other_labels_are_told_as_they_stand() -> None:
    """A class a token; words that are not those of the row."""
    assert aims(group("classes"), [token(4, "Ann", label=2)]) == ("position 4 (`Ann`) has class 2",)
    assert aims(group("other"), [token(4, "x", label=7, label_text="y")]) == (
        "position 4 (`x`) has the label `y`",
    )


def encoder_and_decoder() -> LabelsEvidence:
    read = LabelGroup("input_ids", mask="attention_mask", mask_kind="flags")
    own = LabelGroup("labels", labels="labels", label_kind="same", decoder=True, ignored=-100)
    rows = [
        LabelRow(
            0, row, row, place, width=8, real=6 if place == 0 else 4, right=2, trained=4 * place, first=0
        )
        for place in (0, 1)
        for row in (0, 1)
    ]
    shown = tuple(
        ShownRow(
            0, row, place, row, (token(0, "a\n", "ignored" if place == 0 else "trained"), token(1, "</s>"))
        )
        for place in (0, 1)
        for row in (0, 1)
    )
    return LabelsEvidence((read, own), LabelTable.of(rows), batches=1, samples=2, shown=shown)


def test_a_sequence_of_its_own_stands_beside_the_text_that_it_answers() -> None:
    """What the encoder reads is not counted as untrained."""
    labels = encoder_and_decoder()
    assert title(labels) == "2 rows of 1 batch"
    assert [line for name, line in field_lines(labels) if name == "fields"] == [
        "ids `input_ids`, read only, mask `attention_mask` (flags)",
        "labels `labels` (a sequence of their own, -100 is ignored)",
    ]
    lines = sum_lines(labels)
    assert ("trained", "8 of 8 real tokens of `labels` (100%); rows without any: 0") in lines
    assert [text for name, text in lines if name == "lengths"] == [
        "p50 6, p90 6, p99 6, longest 6 real tokens of `input_ids`",
        "p50 4, p90 4, p99 4, longest 4 real tokens of `labels`",
    ]
    views = row_views(labels)
    assert [view.title for view in views] == [
        "batch 0 row 0 of `input_ids`, sample 0",
        "batch 0 row 0 of `labels`, sample 0",
        "batch 0 row 1 of `input_ids`, sample 1",
        "batch 0 row 1 of `labels`, sample 1",
    ]
    assert views[1].shift == (
        "the labels are a sequence of their own, from `a↵` (position 0) to `</s>` (position 1)",
    )


def test_breaks_of_lines_are_visible() -> None:
    """A chat template is made of them; where only ASCII can be shown they are spelled."""
    (cell, _) = row_views(encoder_and_decoder())[0].cells
    assert cell.text == "a↵"
    assert fold_to_ascii(cell.text) == "a\\n"
