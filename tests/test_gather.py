"""What a probe that was left out leaves behind: rules that are skipped, with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from dldoctor.checks import CHECKS
from dldoctor.checks.base import Case, Check
from dldoctor.child import holder
from dldoctor.child.events import Gathered
from dldoctor.cli import status
from dldoctor.diagnose import diagnose_object
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Level
from dldoctor.gather import gather
from dldoctor.intent import Limits, TargetOptions
from dldoctor.judge import judge
from dldoctor.request import Request

NO_TIME = "the time budget of 60 s had no room for it; `--time-budget` gives more"


def test_a_branch_whose_probe_was_left_out_says_so():
    """By the probe that fills it: `coverage` is the sharding probe's, `resume` the one of its name."""
    found = Gathered(left_out={"sharding": "no ranks were given", "resume": NO_TIME})
    evidence = gather(found, Limits(), ("coverage", "resume", "copies"))
    assert {branch: evidence.missing[branch] for branch in ("coverage", "resume")} == {
        "coverage": "no ranks were given",
        "resume": NO_TIME,
    }
    assert evidence.left_out == ("coverage", "resume")


def test_a_reason_that_the_probe_gave_itself_goes_first():
    """A loader that has no state to resume from is not short of time."""
    found = Gathered(left_out={"resume": NO_TIME}, missing={"resume": "it has no `load_state_dict`"})
    evidence = gather(found, Limits(), ("resume",))
    assert (evidence.missing["resume"], evidence.left_out) == ("it has no `load_state_dict`", ())


def test_its_rules_are_skipped_and_not_inapplicable():
    """What could have been judged must not look like what cannot."""
    checks = [check for check in CHECKS if check.rule == "DL301"]
    request = Request("checkup", TargetOptions("a.py:b"))
    late = gather(Gathered(left_out={"labels": NO_TIME}), Limits(), ("labels",))
    without = gather(Gathered(missing={"labels": "no token ids"}), Limits(), ("labels",))
    told = [judge(evidence, request, {}, checks)[0][0] for evidence in (late, without)]
    assert [(one.status, one.reason) for one in told] == [
        ("skipped", NO_TIME),
        ("not-applicable", "no token ids"),
    ]


def test_a_probe_that_failed_costs_its_own_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the others measured is judged, and the report keeps the traceback."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("ours")

    table = {**holder.probes(), "labels": fail}
    monkeypatch.setattr(holder, "probes", lambda: table)
    data = TensorDataset(torch.arange(24).reshape(12, 2), torch.arange(12) % 2)
    request = Request("checkup", TargetOptions("<pairs>"), limits=Limits(time_budget_s=30.0))
    report = diagnose_object(DataLoader(data, batch_size=4), request, probes=("loader", "labels"))
    assert [one.where for one in report.faults] == ["the probe `labels`"]
    assert report.faults[0].traceback.endswith("ZeroDivisionError: ours\n")
    told = {one.rule: one for one in report.checks}
    assert (told["DL301"].status, told["DL301"].reason) == ("skipped", "dldoctor itself failed in `labels`")
    assert (told["DL112"].status, status.of(report, "error")) == ("clean", status.FAULT)


def test_a_check_that_failed_costs_no_other() -> None:
    """It did not judge."""

    @dataclass(frozen=True)
    class Failing(Check):
        rule = "DL999"
        name = "failing"
        level = Level.ERROR

        def judge(self, _case: Case) -> Iterator[Finding]:
            raise ZeroDivisionError("ours")

    @dataclass(frozen=True)
    class Quiet(Failing):
        rule = "DL998"
        name = "quiet"

        def judge(self, _case: Case) -> Iterator[Finding]:
            return iter(())

    every = (Failing(), Quiet())
    request = Request("dry-run", TargetOptions("a.py:b"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dldoctor.judge.chosen", lambda *_: every)
        patch.setattr(
            "dldoctor.third_party.CHECKS", every
        )  # as ours: those of other packages are caught there
        judged = judge(Evidence(), request, {}, every)
    assert [(one.rule, one.status) for one in judged.checks[:2]] == [("DL999", "skipped"), ("DL998", "clean")]
    assert [one.where for one in judged.faults] == ["the check DL999 failing"]
