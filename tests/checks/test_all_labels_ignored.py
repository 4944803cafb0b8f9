"""DL303 on hand-made rows."""

from __future__ import annotations

from dldoctor.checks.all_labels_ignored import AllLabelsIgnored
from dldoctor.evidence.labels import LimitTrial, Marker
from tests.checks.label_cases import judged, levels, numbered, rows

CHECK = AllLabelsIgnored()
BARE = {"trained": 0, "first": -1, "last": -1, "eos_trained": 0, "was_trained": 0}
CUT = {**BARE, "eos": 0, "eos_last": False, "source": 40}


def causes(*args, **kwargs) -> list[tuple[str, str]]:
    return [(one.facts["cause"], one.level.value) for one in judged(CHECK, *args, **kwargs)]


def test_the_limit_that_keeps_answers_is_said() -> None:
    """From reading the samples again without the limit."""
    trial = LimitTrial("dataset.max_length", 18, 40, 20, 20, 90, keeps_95=60, keeps_99=80, first_95=30)
    table = numbered(rows(6), rows(2, **CUT))
    (found,) = judged(CHECK, table, limit=18, limit_from="dataset.max_length", trial=trial)
    assert found.message == (
        "2 of 8 rows (25%) have no trained token: all are cut at 18 tokens (dataset.max_length) before their answer "
        "begins; a limit of 30 keeps a target in 95% of the samples, 60 whole answers in 95% and 80 in 99%"
    )


def test_a_missing_marker_is_shown_with_what_comes_nearest() -> None:
    """The template is not in the ids."""
    marker = Marker((9, 10), "collate.response_template", nearest=(90, 10))
    (found,) = judged(CHECK, rows(8, **BARE, marker=0), marker=marker)
    assert found.facts["cause"] == "template"
    assert (
        "the marker [9, 10] (from collate.response_template) is not in their ids; the nearest is [90, 10]"
        in found.message
    )


def test_turns_and_samples_that_were_masked_before() -> None:
    """Several markers and other rows that are fine; a dataset that returns nothing to learn; what was printed."""
    marker = Marker((9,), "rows")
    several = numbered(rows(6, marker=1), rows(2, **BARE, marker=3))
    assert causes(several, marker=marker) == [("turns", "error")]
    once = numbered(rows(6, marker=1), rows(2, **BARE, marker=1))
    assert causes(once, marker=marker) == [("masked-before", "error")]
    assert causes(once, marker=marker, printed="WARNING: tokenization mismatch: 102 vs. 104.") == [
        ("turns", "error")
    ]


def test_rows_of_one_and_of_several_turns_that_are_bare_have_one_cause() -> None:
    """Counting turns wrongly would have spared the rows of one turn."""
    table = numbered(rows(6, marker=1), rows(2, **BARE, marker=3), rows(1, **BARE, marker=1))
    (found,) = judged(CHECK, table, marker=Marker((9,), "rows"))
    assert found.message == "3 of 9 rows (33%) have no trained token: the dataset returns them so"
    assert found.samples == (6, 7, 8)


def test_rows_without_text_are_told_elsewhere() -> None:
    """A note that names the other rule."""
    assert causes(numbered(rows(7), rows(1, **BARE, plain=0))) == [("empty", "info")]


def test_a_guess_makes_no_error() -> None:
    """Roles that are not sure."""
    from dataclasses import replace

    from tests.checks.label_cases import GROUP

    assert levels(CHECK, rows(8, **BARE), group=replace(GROUP, certain=False)) == ["info"]


def test_masked_words_and_batches_without_labels_are_not_judged() -> None:
    """A row of few words may have none that is masked."""
    from dataclasses import replace

    from tests.checks.label_cases import GROUP

    assert levels(CHECK, rows(8, **BARE), group=replace(GROUP, label_kind="mlm")) == ["not-applicable"]
    assert levels(CHECK, rows(8, **BARE), group=replace(GROUP, label_kind="none")) == ["not-applicable"]
