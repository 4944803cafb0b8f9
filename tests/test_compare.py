"""Each finding of two reports stands in one place, and noise is no change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.baseline import against
from dldoctor.compare import Change, compare
from dldoctor.finding import Finding, Judgement, Level
from dldoctor.report import Report
from tests.render import reports


def finding(rule: str, level: Level = Level.WARNING, **facts) -> Finding:
    return Finding(rule, f"name-{rule}", level, f"a fact of {rule}", "a step", facts=facts)


def report(*findings: Finding, clean: tuple[str, ...] = ()) -> Report:
    checks = [Judgement(one.rule, one.name, "finding") for one in findings]
    checks += [Judgement(rule, "x", "clean") for rule in clean]
    return replace(reports.healthy_dry_run(), findings=findings, checks=tuple(checks))


PLACES = ("new", "first", "worse", "milder", "same", "gone", "unjudged", "noise")


def filled(found) -> dict[str, tuple]:
    """Return what stands where, without the empty places."""
    return {name: items for name in PLACES if (items := getattr(found, name))}


def test_every_finding_has_its_place():
    """By what both runs judged."""
    risk, error = finding("DL105", Level.RISK), finding("DL105", Level.ERROR)
    before = report(
        risk,
        finding("DL201", Level.ERROR),
        finding("DL202"),
        finding("DL203"),
        finding("DL204"),
        clean=("DL301",),
    )
    after = report(
        error,
        finding("DL201", Level.RISK),
        finding("DL202"),
        finding("DL301"),
        finding("DL302"),
        clean=("DL203",),
    )
    assert filled(compare(before, after)) == {
        "new": (finding("DL301"),),
        "first": (finding("DL302"),),
        "worse": (Change(risk, error),),
        "milder": (Change(finding("DL201", Level.ERROR), finding("DL201", Level.RISK)),),
        "same": (Change(finding("DL202"), finding("DL202")),),
        "gone": (finding("DL203"),),
        "unjudged": (finding("DL204"),),
    }


def test_of_a_run_that_was_cut_nothing_is_gone():
    """It did not see all."""
    found = compare(report(finding("DL203")), replace(report(clean=("DL203",)), complete=False))
    assert filled(found) == {"unjudged": (finding("DL203"),)}


def timed(value: float, low: float, high: float, level: Level = Level.WARNING) -> Finding:
    return replace(finding("DL701", level, share=value, low=low, high=high), name="consumer-starved")


@pytest.mark.parametrize(
    ("before", "place"),
    [
        (timed(0.32, 0.2, 0.4, Level.INFO), "noise"),
        (timed(0.10, 0.05, 0.2, Level.INFO), "worse"),
        (timed(0.32, 0.2, 0.4, Level.ERROR), "noise"),
        (timed(0.60, 0.5, 0.7, Level.ERROR), "milder"),
        (timed(0.60, 0.5, 0.7), "same"),
    ],
)
def test_a_level_counts_as_changed_only_if_the_interval_excludes_the_other_value(before, place):
    """What both call a warning is the same, however it moved."""
    after = timed(0.35, 0.25, 0.45)
    found = compare(report(before), report(after))
    assert list(filled(found)) == [place]


def padded(report: Report, share: float) -> Report:
    batches = report.evidence.batches
    assert batches is not None
    assert batches.padding is not None
    evidence = replace(
        report.evidence, batches=replace(batches, padding=replace(batches.padding, share=share))
    )
    return replace(report, evidence=evidence)


WASTE = replace(finding("DL312", share=0.33, low=0.28, high=0.38), name="padding-waste")


@pytest.mark.parametrize(("share", "place"), [(0.29, "noise"), (0.10, "new")])
def test_what_was_not_found_before_is_held_against_what_was_measured_then(share, place):
    """A value just below the limit is no proof that it was better."""
    clean = padded(report(clean=("DL312",)), share)
    assert list(filled(compare(clean, report(WASTE)))) == [place]
    assert list(filled(compare(report(WASTE), clean))) == [{"noise": "noise", "new": "gone"}[place]]


def test_a_baseline_respects_the_noise_too():
    """It counts as known, and says that it does."""
    now = against(report(WASTE), padded(report(clean=("DL312",)), 0.29), "old.json")
    assert now.baseline is not None
    assert (now.findings, now.baseline.known, now.baseline.noise) == ((), (WASTE,), ("DL312",))
    back = against(padded(report(clean=("DL312",)), 0.29), report(WASTE), "old.json")
    assert back.baseline is not None
    assert back.baseline.gone == ()


def test_without_an_interval_or_another_value_it_is_a_change():
    """Nothing shows that it is noise."""
    plain = report(clean=("DL105", "DL702"))
    other = replace(finding("DL702", share=0.7, low=0.6, high=0.8), name="slow-stage")
    assert list(filled(compare(plain, report(finding("DL105", share=0.2))))) == ["new"]
    assert list(filled(compare(plain, report(other)))) == ["new"]


def test_the_worst_is_that_of_what_came_up():
    """Not of what was there."""
    before, after = (
        report(finding("DL105", Level.ERROR), clean=("DL301",)),
        report(finding("DL105", Level.ERROR), finding("DL301", Level.RISK)),
    )
    assert (compare(before, after).worst, compare(before, before).worst) == (Level.RISK, None)
