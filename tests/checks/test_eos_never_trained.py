"""DL302 on hand-made rows."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.eos_never_trained import EosNeverTrained
from dldoctor.evidence import Evidence
from dldoctor.evidence.label_rows import LabelTable
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, SourceRef
from dldoctor.intent import Intent
from tests.checks.label_cases import WORDS, judged, levels, numbered, rows

CHECK = EosNeverTrained()
GOOD = rows(24)
MASKED = {"eos_trained": 0, "eos_after": 1}
ABSENT = {"eos": 0, "eos_trained": 0, "eos_last": False}


def test_the_three_causes_are_told_apart() -> None:
    """Ignored, never there, cut away."""
    same = replace(WORDS, pad=1)
    (masked,) = judged(CHECK, rows(8, **MASKED), words=same)
    assert masked.message == (
        "8 of 8 rows with targets (100%) have the end token 1 and ignore it, since it is the pad id too (pad 1 = end 1); "
        "rows with a trained end: 0"
    )
    (absent,) = judged(CHECK, rows(8, **ABSENT))
    assert (absent.facts["cause"], absent.level.value) == ("absent", "error")
    (cut,) = judged(CHECK, rows(8, **ABSENT), limit=18, limit_from="declared")
    assert (cut.facts["cause"], cut.level.value) == ("truncated", "error")


def test_a_few_rows_are_a_warning_and_one_percent_an_error() -> None:
    """Below 1% and no whole batch."""
    assert levels(CHECK, [*numbered(rows(239)), *rows(1, batch=29, **MASKED)]) == ["warning"]
    assert levels(CHECK, numbered(rows(96), rows(1, **MASKED), rows(2))) == ["error"]


def test_rows_that_are_cut_are_left_to_truncated_while_most_end() -> None:
    """Two of ten rows stop at the limit."""
    cut = rows(2, **ABSENT, source=40)
    assert levels(CHECK, numbered(rows(8), cut)) == []


def test_where_the_limit_leaves_no_target_that_rule_tells() -> None:
    """DL303 owns the cause."""
    cut, bare = (
        rows(6, **ABSENT, source=40),
        rows(2, trained=0, first=-1, eos_trained=0, eos=0, eos_last=False, source=40),
    )
    assert levels(CHECK, numbered(cut, bare)) == ["info"]


def test_undeclared_whole_texts_without_end_are_a_note() -> None:
    """Labels that equal the ids may be pretraining."""
    whole = rows(8, **ABSENT, first=1, spans=1, trained=17)
    assert levels(CHECK, whole) == ["info"]
    assert levels(CHECK, whole, intent={"task": "sft"}) == ["error"]
    assert levels(CHECK, whole, intent={"task": "pretrain"}) == ["not-applicable"]


def test_what_cannot_be_told_is_not_told() -> None:
    """No end token is known, or padding is the end token and nothing tells lengths."""
    assert levels(CHECK, GOOD, words=replace(WORDS, eos=None)) == ["insufficient-evidence"]
    unclear = rows(8, known="pad", **MASKED)
    assert levels(CHECK, unclear, words=replace(WORDS, pad=1)) == []
    assert levels(CHECK, rows(8, **ABSENT, last_trained_id=5), words=replace(WORDS, end=5)) == []


def test_an_end_that_the_attention_mask_hides_is_its_fault() -> None:
    """DL308 tells it."""
    assert levels(CHECK, rows(8, **MASKED, hidden=1)) == []


def test_a_guessed_end_token_judges_nothing() -> None:
    """A full stop ends answers too: neither rows with it nor rows without say anything."""
    guess = replace(WORDS, eos=14368, sources={"eos": "guess"})
    for table in (GOOD, rows(8, **ABSENT)):
        (one,) = judged(CHECK, table, words=guess)
        assert (one.status, one.reason) == (
            "insufficient-evidence",
            "the end token was guessed from values (14368); declare `--eos-id`",
        )


def test_one_side_of_pairs_without_end_is_named() -> None:
    """An error where the end token is known, a warning where the other side alone tells it."""
    groups = tuple(
        LabelGroup(f"{side}_input_ids", labels=f"{side}_labels", label_kind="same")
        for side in ("chosen", "rejected")
    )
    table = LabelTable.of([*rows(8), *rows(8, **ABSENT, group=1)])

    def found(by: str) -> Finding:
        words = replace(WORDS, sources={"eos": by})
        labels = LabelsEvidence(groups=groups, table=table, batches=1, samples=8, vocabulary=words)
        (one,) = CHECK.judge(Case(Evidence(labels=labels), Intent()))
        assert isinstance(one, Finding)
        return one

    assert [found(by).level.value for by in ("declared", "tokenizer", "values")] == [
        "error",
        "error",
        "warning",
    ]
    assert found("values").message == (
        "8 of 16 rows with targets (50%) never hold the end token 1; rows with a trained end: 8; "
        "it is all rows of `rejected_input_ids` and none of `chosen_input_ids`"
    )


def test_an_end_that_is_ignored_between_trained_tokens_is_no_absent_end() -> None:
    """A line break behind the end of each turn is trained, and the end is not."""
    (found,) = judged(
        CHECK, rows(8, eos=3, eos_trained=0, eos_passed=3, eos_last=False), words=replace(WORDS, pad=1)
    )
    assert found.facts["cause"] == "masked"
    assert levels(CHECK, rows(8, eos=3, eos_trained=0, eos_last=False), words=replace(WORDS, pad=1)) == [
        "error"
    ]


def test_placeholders_that_are_ignored_are_no_prompt() -> None:
    """Documents of pictures and words without an end are whole texts, whatever stands first in them."""
    pictured = rows(8, **ABSENT, first=3, spans=3, trained=13, placeholders=4)
    assert levels(CHECK, pictured) == ["info"]
    assert levels(CHECK, rows(8, **ABSENT, first=9, spans=1, trained=8, placeholders=4)) == ["error"]


def test_the_place_is_that_of_the_code_that_made_rows_so() -> None:
    """The collate where it ignored, cut or made the tokens itself, else the dataset."""
    spec = LoaderSpec(
        "map", "DataLoader", "Texts", "loader",
        dataset_ref=SourceRef("data.py", 1, "Texts"), collate_ref=SourceRef("data.py", 9, "pad"),
    )  # fmt: skip

    def symbol(changes: dict[str, object], limit: int | None = None, spec: LoaderSpec = spec) -> str | None:
        bad = rows(4, **changes)
        evidence = LabelsEvidence(
            (LabelGroup("input_ids", "labels", label_kind="same"),),
            LabelTable.of(bad),
            vocabulary=WORDS,
            limit=limit,
        )
        (found,) = CHECK.judge(Case(Evidence(loader=spec, labels=evidence), Intent(task="sft")))
        assert isinstance(found, Finding)
        return found.where.symbol if found.where else None

    assert symbol(MASKED) == "Texts"
    assert symbol({**MASKED, "was_trained": GOOD[0].trained + 1}) == "pad"
    assert symbol({**MASKED, "was_trained": -1}) == "pad"
    assert symbol({**MASKED, "was_trained": -1}, spec=replace(spec, default_collate=True)) == "Texts"
    assert symbol(ABSENT) == "Texts"
    assert symbol({**ABSENT, "source": -1}) == "pad"
    assert symbol({**ABSENT, "source": 40}, limit=18) == "pad"
