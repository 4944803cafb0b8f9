"""The top of a checkup: a verdict, three vitals; then one ranked list, and what was not judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.baseline import against
from dldoctor.evidence.sweep import SweepEvidence, SweepRates
from dldoctor.finding import Judgement, Level
from dldoctor.render import FORMATS
from dldoctor.render.content.findings import fact_text
from dldoctor.render.content.judgements import NotJudged
from dldoctor.render.content.vitals import Vital, verdict_line, vitals
from dldoctor.report import Report, order, summarise
from tests.render import reports
from tests.render.test_terminal import shown


def checkup(report: Report) -> Report:
    """The same evidence as a checkup gives it."""
    missing = {"memory": "the time budget of 60 s had no room for it; `--time-budget` gives more"}
    return replace(report, command="checkup", evidence=replace(report.evidence, missing=missing))


def of_level(level: Level | None) -> Report:
    findings = tuple(replace(one, level=level) for one in reports.ill_findings()[:1]) if level else ()
    return replace(reports.ill_dry_run(), findings=findings, summary=summarise(order(list(findings))))


def test_a_checkup_has_three_vitals_and_says_which_was_not_measured():
    """Elsewhere only those that were measured are shown."""
    found = vitals(checkup(reports.ill_dry_run()))
    assert found == (
        Vital("capacity", "413 samples/s (398 .. 432), batches being taken as they come"),
        Vital(
            "memory",
            "not measured: the time budget of 60 s had no room for it; `--time-budget` gives more",
            measured=False,
        ),
        Vital("padding", "46.1% of token positions (43% .. 49%)"),
    )
    assert [one.name for one in vitals(reports.ill_dry_run())] == ["capacity", "padding"]


def test_with_a_consumer_the_first_vital_is_what_it_waits():
    """That is the honest measure; a rate alone says nothing of a GPU."""
    report = checkup(reports.healthy_dry_run())
    sweep = SweepEvidence(SweepRates(), (), None, wait_share=0.31, wait_low=0.28, wait_high=0.35)
    report = replace(report, evidence=replace(report.evidence, sweep=sweep))
    assert vitals(report)[0] == Vital("data wait", "31% of a step is spent waiting for data (28% .. 35%)")


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (Level.ERROR, "something is wrong: 1 error; 20 rules: 11 clean, 4 not judged"),
        (Level.WARNING, "something is wrong: 1 warning; 20 rules: 11 clean, 4 not judged"),
        (Level.RISK, "something may go wrong: 1 risk; 20 rules: 11 clean, 4 not judged"),
        (Level.INFO, "nothing wrong was found: 1 info; 20 rules: 11 clean, 4 not judged"),
        (None, "nothing wrong was found: no findings; 20 rules: 11 clean, 4 not judged"),
    ],
)
def test_the_verdict_is_one_line(level, words):
    """It never calls anything safe, and says how much it stands on."""
    assert verdict_line(of_level(level)) == words


def test_where_nothing_was_judged_there_is_no_verdict():
    """And an interrupted run says that it was."""
    unjudged = (Judgement("DL201", "non-finite", "skipped", "no time"),)
    report = replace(of_level(None), checks=unjudged)
    assert verdict_line(report) == "no verdict: nothing was judged; 1 rule: 0 clean, 1 not judged"
    assert verdict_line(replace(of_level(None), complete=False)).startswith("interrupted: no findings")


def test_the_verdict_tells_what_the_baseline_has():
    """What is known is counted apart, and what is gone."""
    before, now = of_level(Level.ERROR), of_level(None)
    same = against(before, before, "old.json")
    assert "no findings; new since the baseline; 1 known" in verdict_line(same)
    rule = before.findings[0].rule
    now = replace(now, checks=(Judgement(rule, "x", "clean"),))
    assert "new since the baseline; 0 known, 1 gone" in verdict_line(against(now, before, "old.json"))


def test_the_terminal_shows_verdict_findings_and_what_was_not_judged_in_this_order():
    """What was measured is for `--verbose`; the list is what one came for."""
    text = shown(checkup(reports.ill_dry_run()))
    places = [
        text.index(part)
        for part in ("something is wrong", "  memory ", "error DL105", "info DL113", "Not judged")
    ]
    assert places == sorted(places)
    assert "2 more do not apply to this loader (--verbose lists them)" in text
    assert "First 3 samples" not in text
    assert max(len(line) for line in text.splitlines()) <= 80
    verbose = shown(checkup(reports.ill_dry_run()), verbose=True)
    assert "First 3 samples" in verbose
    assert verbose.index("something is wrong") < verbose.index("First 3 samples")


def test_the_page_opens_with_the_vitals():
    """Before the findings."""
    page = FORMATS["html"](checkup(reports.ill_dry_run()))
    assert page.index('<dl class="vitals">') < page.index('id="findings"')
    assert "<dt>capacity</dt><dd>413 samples/s" in page
    assert '<dl class="vitals">' not in FORMATS["html"](reports.ill_dry_run())


def test_two_loaders_of_one_target_are_told_apart():
    """In the title, and where an upload of results would replace those of the other."""
    report = replace(reports.ill_dry_run(), arguments="-k split=train --loader val")
    assert shown(report).startswith("dldoctor dry-run captions.py:make_loader -k split=train --loader val\n")
    log = FORMATS["sarif"](report)
    assert '"dry-run/captions.py:make_loader -k split=train --loader val/"' in log


def test_many_rules_that_were_not_judged_are_named_by_their_commands():
    """A row of thirty numbers tells nobody anything."""
    rules = ("DL301", "DL302", "DL303", "DL601", "DL9999")
    group = NotJudged("skipped", "no time", tuple((rule, "x") for rule in rules))
    assert group.who == "5 rules of check-labels 3, check-sharding 1, others 1"
    assert NotJudged("skipped", "no time", (("DL301", "label-pad-trained"),)).who == "DL301 label-pad-trained"
    assert NotJudged("skipped", "", (*[("DL301", "x")] * 4,)).who == "4 rules of check-labels"


def test_a_fact_is_shown_whole_or_counted():
    """What the sentence says already is not said again; a long value is for `--verbose`."""
    finding = replace(
        reports.ill_findings()[0],
        message="3 of 9 rows",
        facts={"rows": 9, "tail": 1, "text": "x" * 60, "no": None},
    )
    report = replace(reports.ill_dry_run(), findings=(finding,))
    assert "  facts    tail 1 · 1 more (--verbose)\n" in shown(report)


def test_a_fact_of_rows_is_a_table_in_the_page():
    """With the keys as columns."""
    rows = [{"at": 1, "label": -100}, {"at": 2, "label": "<b>"}]
    finding = replace(reports.ill_findings()[0], facts={"row": rows})
    page = FORMATS["html"](replace(reports.ill_dry_run(), findings=(finding,)))
    assert '<th scope="col">at</th><th scope="col">label</th>' in page
    assert "<tr><td>2</td><td>&lt;b&gt;</td></tr>" in page


def test_a_fact_of_rows_is_told_row_by_row_in_text():
    """As words, without the marks of the data behind it."""
    rows = [
        {"position": 1, "token": "7 ('a')", "is": "learned"},
        {"position": 2, "token": 9, "is": "padding"},
    ]
    assert fact_text("row", rows) == "position 1, token 7 ('a'), is learned; position 2, token 9, is padding"
    assert fact_text("bytes_per_1000_samples", 7.55e7) == "75.5 MB"
