"""Held against an earlier report, only what is new counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.baseline import against, fingerprints, identity
from dldoctor.finding import Finding, Judgement, Level, SourceRef
from dldoctor.report import Report, Summary, dumps, loads
from tests.render import reports

PLACE = SourceRef("data.py", 41, "Data.__getitem__")


def finding(
    rule: str = "DL105", level: Level = Level.ERROR, where: SourceRef | None = PLACE, **facts
) -> Finding:
    return Finding(rule, "sample-failed", level, "a fact", "a step", where, (3,), facts)


def report(*findings: Finding, clean: tuple[str, ...] = ()) -> Report:
    checks = [Judgement(one.rule, one.name, "finding") for one in findings]
    checks += [Judgement(rule, "x", "clean") for rule in clean]
    return replace(reports.healthy_dry_run(), findings=findings, checks=tuple(checks))


def test_what_was_there_before_stands_in_no_count():
    """Although its line, its samples and its numbers moved."""
    before = report(finding(share=0.01))
    moved = replace(
        finding(share=0.04), where=replace(PLACE, line=57), samples=(3, 9), message="other numbers"
    )
    now = against(report(moved, finding("DL201")), before, "old.json")
    assert [one.rule for one in now.findings] == ["DL201"]
    assert now.summary == Summary(worst=Level.ERROR, error=1)
    assert now.baseline is not None
    assert (now.baseline.name, now.baseline.known, now.baseline.gone) == ("old.json", (moved,), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (finding(field="image"), finding(field="caption")),
        (finding(), finding(where=replace(PLACE, symbol="collate"))),
        (finding(), finding(where=replace(PLACE, path="other.py"))),
        (finding(), finding(where=None)),
        (finding(), finding("DL201")),
    ],
)
def test_another_field_place_or_rule_is_another_fault(before, after):
    """Each of them is new."""
    assert against(report(after), report(before), "x").findings == (after,)


def test_a_worse_level_counts_and_a_milder_one_does_not():
    """A risk that became an error is news."""
    risk, error = finding(level=Level.RISK), finding()
    worse = against(report(error), report(risk), "x")
    assert (worse.findings, worse.baseline.worse, worse.baseline.gone) == ((error,), ("DL105",), ())
    assert against(report(risk), report(error), "x").findings == ()


def test_the_second_of_its_kind_is_new():
    """One known finding excuses one, not all that look alike."""
    now = against(report(finding(), finding()), report(finding()), "x")
    assert (len(now.findings), len(now.baseline.known)) == (1, 1)


def test_a_finding_is_gone_only_where_its_rule_judged():
    """What was not judged, or was interrupted, says nothing."""
    before = report(finding("DL105"), finding("DL201"))
    now = against(report(clean=("DL105",)), before, "x")
    assert [one.rule for one in now.baseline.gone] == ["DL105"]
    cut = against(replace(report(clean=("DL105",)), complete=False), before, "x")
    assert cut.baseline.gone == ()


def test_a_report_with_a_baseline_can_be_the_next_baseline():
    """What was known then is known now; it is also read back as it was written."""
    first = report(finding("DL105"))
    second = loads(dumps(against(report(finding("DL105"), finding("DL201")), first, "first.json")))
    third = against(report(finding("DL105"), finding("DL201")), second, "second.json")
    assert (third.findings, len(third.baseline.known)) == ((), 2)


def test_marks_are_stable_and_tell_equals_apart():
    """The same fault has the same mark in two runs, and two that look alike have two."""
    one, two = fingerprints((finding(), finding()))
    assert one != two
    assert fingerprints((replace(finding(share=0.3), samples=(9,)),)) == (one,)
    assert identity(finding()) == ("DL105", "data.py", "Data.__getitem__", *[""] * 7)
