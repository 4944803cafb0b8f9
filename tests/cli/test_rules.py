"""Rules can be listed, looked up and chosen."""

from __future__ import annotations

from typing import Any

import pytest

from dldoctor import rules
from dldoctor.checks import CHECKS


def test_the_table_names_every_rule(dldoctor: Any) -> None:
    """One line a rule, at least."""
    listed = [line.split()[:2] for line in dldoctor("rules").out.splitlines() if line.startswith("DL")]
    assert listed == [[check.rule, check.name] for check in CHECKS]


@pytest.mark.parametrize("text", ["DL113", "dl113", "tail-batch-of-one", "Tail-Batch-Of-One"])
def test_a_rule_is_found_by_number_and_name(dldoctor: Any, text: str) -> None:
    """In any case."""
    outcome = dldoctor("explain", text)
    assert outcome.status == 0
    assert "DL113 tail-batch-of-one" in outcome.out
    assert [heading in outcome.out for heading in ("Why it hurts", "What to do", "When it is wrong")] == [
        True
    ] * 3


def test_prefixes_choose_families() -> None:
    """Select, then ignore; nothing selected means all."""
    chosen = rules.chosen(["DL1", "DL201"], ["DL11", "tail-batch-of-one"])
    assert [check.rule for check in chosen] == [
        check.rule
        for check in CHECKS
        if check.rule == "DL201" or (check.rule.startswith("DL1") and not check.rule.startswith("DL11"))
    ]
    assert rules.chosen([], []) == CHECKS


def test_a_page_lists_the_settings_of_its_rule() -> None:
    """Name, default, and how to read it."""
    for check in CHECKS:
        page = rules.page(check)
        assert [f"| `{name}` | {value!r} |" in page for name, value, _ in rules.settings(check)] == [
            True
        ] * len(rules.settings(check))
