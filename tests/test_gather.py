"""What a probe that was left out leaves behind: rules that are skipped, with its reason."""

from __future__ import annotations

from dldoctor.checks import CHECKS
from dldoctor.child.events import Gathered
from dldoctor.diagnose import Request, judge
from dldoctor.gather import gather
from dldoctor.intent import Limits, TargetOptions

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
