"""DL313 on rows that all fill one width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dldoctor.checks.base import Case
from dldoctor.checks.truncated import Truncated
from dldoctor.evidence import Evidence
from dldoctor.evidence.label_rows import LabelRow, LabelTable
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence
from dldoctor.finding import Finding
from dldoctor.intent import Intent
from tests.checks.label_cases import GROUP, WORDS, levels, rows

TEXTS = LabelGroup("input_ids")


def full(count: int = 24, lasts: Sequence[int] = (5, 6, 7), **facts: Any) -> list[LabelRow]:
    """Rows of 16 that begin with 2."""
    plain: dict[str, Any] = {"width": 16, "real": 16, "first_id": 2, **facts}
    return [
        LabelRow(batch=at // 8, row=at % 8, last_id=lasts[at % len(lasts)], **plain) for at in range(count)
    ]


def told(table: list[LabelRow], **more: Any) -> list[str]:
    """Levels of what is said."""
    return levels(Truncated(), table, group=TEXTS, **more)


def test_texts_that_all_fill_the_width_look_cut() -> None:
    """They begin alike, and end apart."""
    assert told(full()) == ["info"]
    assert told(full(), intent={"task": "pretrain"}) == []


def test_other_rows_of_one_length_are_no_cut_texts() -> None:
    """They end alike, begin apart (windows), are learned whole, or are padded; a few rows tell nothing."""
    assert told(full(lasts=(1,))) == []
    assert told([*full(12), *full(12, first_id=9)]) == []
    assert told(full(trained=15, first=1, spans=1)) == []
    assert told([*full(23), *full(1, real=12, right=4)]) == []
    assert told(full(6)) == []


def test_texts_are_judged_by_their_own_ends() -> None:
    """What a translation is made from has no end token; the translation stops at the limit without its own."""
    source = rows(24, group=1, eos=0, eos_trained=0, eos_last=False, trained=0, source=-1)
    ended, cut = rows(16, source=-1, real=12), rows(8, source=-1, eos=0, eos_trained=0, eos_last=False)
    labels = LabelsEvidence(
        groups=(GROUP, replace(GROUP, tokens="labels", labels=None, label_kind="none")),
        table=LabelTable.of([*ended, *cut, *source]), batches=3, samples=24, vocabulary=WORDS, limit=18, limit_from="rows",
    )  # fmt: skip
    (found,) = Truncated().judge(Case(Evidence(labels=labels), Intent()))
    assert isinstance(found, Finding)
    assert (found.level.value, found.message) == (
        "warning",
        "8 of 48 texts (17%) are cut at 18 tokens (rows), and 33% lose the end of their answer",
    )
