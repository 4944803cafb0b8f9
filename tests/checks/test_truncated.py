"""DL313 on rows that all fill one width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dldoctor.checks.truncated import Truncated
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelGroup
from tests.checks.label_cases import levels

TEXTS = LabelGroup("input_ids")


def full(count: int = 24, lasts: Sequence[int] = (5, 6, 7), **facts: Any) -> list[LabelRow]:
    """Rows of 16 that begin with 2."""
    plain: dict[str, Any] = {"width": 16, "real": 16, "first_id": 2, **facts}
    return [
        LabelRow(batch=at // 8, row=at % 8, last_id=lasts[at % len(lasts)], **plain) for at in range(count)
    ]


def told(rows: list[LabelRow], **more: Any) -> list[str]:
    """Levels of what is said."""
    return levels(Truncated(), rows, group=TEXTS, **more)


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
