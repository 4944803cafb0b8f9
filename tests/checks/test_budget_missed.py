"""DL001 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.budget_missed import BudgetMissed
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, PaddingEvidence
from dldoctor.evidence.distribution import Distribution
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.timing import Interval, TimingEvidence
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent

FLAT = Distribution(64, 10, 10, 10, 0, 10, 10, 10, 10)


def padded(share: float, low: float, high: float, rows: int = 64) -> BatchesEvidence:
    padding = PaddingEvidence("input_ids", "attention_mask", share, 0.05, 0.02, rows, FLAT, low, high)
    return BatchesEvidence(8, 8, True, padding=padding)


def timed() -> TimingEvidence:
    return TimingEvidence(
        first_batch_ns=1,
        batch_p50_ns=1,
        samples_per_s=Interval(500.0, 450.0, 550.0),
        sample_p50=Interval(20e6, 18e6, 25e6),
    )


def judged(budgets: dict[str, float], given: str = "loader", **evidence) -> list[tuple]:
    loader = LoaderSpec("map", "DataLoader", "Set", given)
    case = Case(Evidence(loader=loader, **evidence), Intent(budgets=budgets))
    found = BudgetMissed().judge(case)
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.facts.get("budget"), f.message)
        for f in found
    ]


def test_nothing_is_judged_without_a_budget() -> None:
    """No budget, no judgement."""
    assert judged({}, timing=timed()) == [("not-applicable", "no budget is declared")]


def test_a_time_above_its_budget_is_an_error_only_beyond_the_interval() -> None:
    """The whole interval must lie on the wrong side."""
    missed = "budget `sample-p50-ms` (at most 17) is missed: measured 20 (18 to 25)"
    close = "budget `sample-p50-ms` (at most 19) is too close to the measured value to tell: measured 20 (18 to 25)"
    assert judged({"sample-p50-ms": 17}, timing=timed()) == [("error", "sample-p50-ms", missed)]
    assert judged({"sample-p50-ms": 19}, timing=timed()) == [("info", "sample-p50-ms", close)]
    assert judged({"sample-p50-ms": 25}, timing=timed()) == []


def test_a_rate_must_reach_its_budget() -> None:
    """The rate is bounded from below."""
    missed = "budget `samples-per-s` (at least 600) is missed: measured 500 (450 to 550)"
    assert judged({"samples-per-s": 600}, timing=timed()) == [("error", "samples-per-s", missed)]
    assert judged({"samples-per-s": 450}, timing=timed()) == []


def test_padding_needs_enough_rows() -> None:
    """A share of eight rows is no share."""
    missed = "budget `padding` (at most 0.1) is missed: measured 0.2 (0.18 to 0.22)"
    assert judged({"padding": 0.1}, batches=padded(0.2, 0.18, 0.22)) == [("error", "padding", missed)]
    assert judged({"padding": 0.1}, batches=padded(0.2, 0.18, 0.22, rows=8)) == [
        ("insufficient-evidence", "`padding` was not measured: only 8 of at least 32 rows were read")
    ]


def test_what_is_not_measured_never_looks_like_a_pass() -> None:
    """A budget of another command is named, alone or beside one that is met."""
    reason = "`data-wait` was not measured: it needs a training step that consumes the batches"
    assert judged({"data-wait": 0.05}, timing=timed()) == [("insufficient-evidence", reason)]
    assert judged({"data-wait": 0.05, "sample-p50-ms": 90}, timing=timed()) == [("info", None, reason)]


def test_the_rate_of_a_bare_dataset_is_not_the_users() -> None:
    """Its batch size is ours."""
    reason = "`samples-per-s` was not measured: it depends on the batch size, and none was given with the bare dataset"
    assert judged({"samples-per-s": 1e9}, given="pair", timing=timed()) == [("insufficient-evidence", reason)]
