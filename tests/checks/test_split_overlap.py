"""DL610 on hand-made evidence: what is told, how surely, and what nothing found means."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.split_overlap import SplitOverlap
from dldoctor.evidence import Evidence
from dldoctor.evidence.overlap import OverlapEvidence, SharedItems
from dldoctor.evidence.splits import Side, SplitsEvidence
from dldoctor.finding import Finding, Remark

TRAIN = Side("a.py:x", "train", 50_000, 8, shuffle=True, drop_last=False, settings_known=True)
EVAL = replace(TRAIN, role="eval", items=500)
READ = OverlapEvidence((50_000, 500), (2000, 500), compared=("image",))
SHARED = SharedItems("content", 6, (2000, 500), ((17, 3), (4, 9)), ("image",))


def judged(found: OverlapEvidence | None, second: Side = EVAL, why: str = "") -> list[tuple[str, str]]:
    outcome = SplitOverlap().judge(Case(Evidence(splits=SplitsEvidence(TRAIN, second, found, why))))
    return [
        (one.level.value, one.message)
        if isinstance(one, Finding)
        else ("remark" if isinstance(one, Remark) else one.status, one.reason)
        for one in outcome
    ]


def level(shared: SharedItems) -> str:
    ((found, _),) = judged(replace(READ, shared=(shared,)))
    return found


def test_a_part_that_was_read_is_named_as_one() -> None:
    """The number is a least one."""
    assert judged(replace(READ, shared=(SHARED,))) == [
        (
            "error",
            (
                "at least 6 of 500 eval items (1.2%) are in train too: eval 3 is train 17, with the same `image`; "
                "2000 of 50000 train items and 500 eval items were looked at"
            ),
        )
    ]


def test_indices_are_known_of_all_items() -> None:
    """No part, no least number."""
    index = SharedItems("index", 500, (50_000, 500), ((17, 3),))
    assert judged(replace(READ, shared=(index,))) == [
        (
            "error",
            "500 of 500 eval items (100%) are in train too: eval 3 is train 17, the same index of one dataset",
        )
    ]


def test_a_shared_picture_with_another_question_is_a_note() -> None:
    """Both readings are told."""
    part = replace(SHARED, how="part", apart=("question",))
    assert judged(replace(READ, items=(2000, 500), shared=(part,))) == [
        (
            "info",
            (
                "6 of 500 eval items (1.2%) share a part with train items: eval 3 and train 17, with the same `image`, "
                "with other `question`; fine if what they share is no subject of the evaluation"
            ),
        )
    ]


def test_the_level_follows_what_is_equal() -> None:
    """People repeat short texts."""
    few = replace(SHARED, brief=True, count=2)
    counts = [level(replace(few, count=count)) for count in (2, 30, 60)]
    assert counts == ["info", "warning", "error"]
    assert [level(replace(SHARED, how="id")), level(replace(few, how="id"))] == ["error", "warning"]
    assert level(replace(SHARED, how="text")) == "warning"


def test_nothing_found_in_a_part_is_no_verdict() -> None:
    """It says what would have shown."""
    assert judged(READ) == [
        (
            "insufficient-evidence",
            (
                "of 2000 of 50000 train items and 500 eval items that were read none stands on both sides, by the "
                "contents of `image`; more than 75 shared items would hardly have been missed"
            ),
        )
    ]


def test_nothing_found_in_all_says_on_what_that_rests() -> None:
    """Contents, files, rows, or indices."""
    whole = replace(READ, items=(2000, 500))
    told = [
        judged(one)[0]
        for one in (
            whole,
            replace(whole, compared=(), files=True),
            replace(READ, rows=("files",)),
            replace(READ, same_source=True),
        )
    ]
    assert told == [
        (
            "remark",
            "no item stands on both sides, by the contents of `image` (2000 train items and 500 eval items)",
        ),
        (
            "remark",
            "no item stands on both sides, by the files that are read for them (2000 train items and 500 eval items)",
        ),
        ("remark", "no row of `files` of the datasets belongs to items of both sides"),
        ("remark", "both sides draw from one dataset, and no index stands on both"),
    ]


def test_what_cannot_be_told_says_why() -> None:
    """Never clean."""
    blind = replace(READ, compared=(), drawn=("image",))
    assert judged(blind) == [
        (
            "insufficient-evidence",
            "no field holds enough to tell items apart, and each read draws `image` anew",
        )
    ]
    assert judged(None, why="of one of the loaders only the batches can be seen") == [
        ("insufficient-evidence", "of one of the loaders only the batches can be seen")
    ]
    assert judged(replace(READ, shared=(SHARED,)), replace(EVAL, role="train")) == [
        ("not-applicable", "both sides are train: they may have the same items")
    ]
