"""What machines read: SARIF, JUnit, GitHub and Markdown, with ordinary and with hostile text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from markdown_it import MarkdownIt

from dldoctor.baseline import against
from dldoctor.finding import Finding, Level, SourceRef
from dldoctor.render import FORMATS
from dldoctor.render.markdown import code, escaped
from dldoctor.report import Report
from tests.render import reports

ALL = {
    "healthy": reports.healthy_dry_run(),
    "ill": reports.ill_dry_run(),
    "hostile": reports.hostile(),
    "empty": reports.empty(),
    "crashed": reports.crashed(),
    "many": reports.many_findings(),
}
EVERY = pytest.mark.parametrize("name", ALL)
SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text())


@pytest.fixture(scope="module")
def junit_schema():
    xmlschema = pytest.importorskip("xmlschema")
    return xmlschema.XMLSchema(Path(__file__).parent / "schemas" / "junit.xsd")


def drawn(name: str, form: str) -> str:
    return FORMATS[form](ALL[name])


def sarif_run(report: Report) -> dict:
    return json.loads(FORMATS["sarif"](report))["runs"][0]


@EVERY
def test_sarif_is_valid_by_the_published_schema(name):
    """Formats of URIs and times included."""
    log = json.loads(drawn(name, "sarif"))
    checker = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in checker.iter_errors(log)] == []


def test_sarif_points_into_the_project_by_rule_level_and_place(tmp_path, monkeypatch):
    """A command that was run in a folder of the project still names files from its root."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train").mkdir()
    monkeypatch.chdir(tmp_path / "train")
    run = sarif_run(reports.ill_dry_run())
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    shown = [
        (
            rules[one["ruleIndex"]],
            one["level"],
            one["properties"]["level"],
            one["locations"][0]["physicalLocation"]["artifactLocation"],
            one["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for one in run["results"]
    ]
    place = {"uri": "train/captions.py", "uriBaseId": "%SRCROOT%"}
    assert shown == [
        ("DL105", "error", "error", place, 41),
        ("DL201", "error", "error", place, 55),
        ("DL312", "warning", "warning", place, 72),
        ("DL806", "warning", "risk", place, 41),
        ("DL113", "note", "info", place, 41),
    ]
    assert all(one["ruleId"] == rules[one["ruleIndex"]] for one in run["results"])


def test_sarif_carries_the_page_of_a_rule():
    """Code scanning shows it beside the finding; a rule that is not known here has none."""
    rules = {rule["id"]: rule for rule in sarif_run(reports.ill_dry_run())["tool"]["driver"]["rules"]}
    assert "## Why it hurts" in rules["DL201"]["help"]["markdown"]
    unknown = sarif_run(reports.many_findings(1))["tool"]["driver"]["rules"]
    assert unknown == [{"id": "DL100", "name": "fault-number-0"}]


def test_sarif_marks_stay_when_lines_and_numbers_move():
    """A finding is the same one after lines were added above it, and after another sample was read."""
    report = reports.ill_dry_run()
    moved = replace(
        report,
        findings=tuple(
            replace(one, message="other numbers", samples=(5,), where=replace(one.where, line=900))
            if one.where
            else one
            for one in report.findings
        ),
    )
    marks = [one["partialFingerprints"] for one in sarif_run(report)["results"]]
    assert [one["partialFingerprints"] for one in sarif_run(moved)["results"]] == marks
    assert len({str(mark) for mark in marks}) == len(marks)


def test_sarif_says_what_was_not_judged_as_a_notification():
    """Never as a result: code scanning would show it as an alert."""
    (invocation,) = sarif_run(reports.ill_dry_run())["invocations"]
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == [
        "Not judged (too little evidence: 30 batches were read, and 32 are needed): DL215",
        "Not judged (skipped: left out by --ignore): DL805",
        "Not judged (not applicable: no budget is declared): DL001",
        "Not judged (not applicable: no tar archive was opened): DL611",
    ]
    assert [sarif_run(ALL[name])["invocations"][0]["executionSuccessful"] for name in ("ill", "crashed")] == [
        True,
        False,
    ]


def cases(report: Report) -> dict[str, str]:
    """What became of each test case."""
    suite = ET.fromstring(FORMATS["junit"](report)).find("testsuite")
    return {
        case.get("name").split()[0]: next(
            (child.tag for child in case if child.tag != "system-out"), "passed"
        )
        for case in suite
    }


def test_junit_has_one_case_a_rule():
    """What fails the run is a failure; what does not is told in a case that passes."""
    report = reports.ill_dry_run()
    fails = {"DL105", "DL201"}
    skips = {"DL001", "DL215", "DL611", "DL805"}
    expected = {
        check.rule: "failure" if check.rule in fails else "skipped" if check.rule in skips else "passed"
        for check in report.checks
    }
    assert cases(report) == expected
    stricter = cases(replace(report, fail_on="warning"))
    assert {rule for rule, became in stricter.items() if became == "failure"} == {*fails, "DL312"}
    assert "failure" not in cases(replace(report, fail_on="never")).values()


@EVERY
def test_junit_is_valid_by_its_schema(name, junit_schema):
    """Elements in their order, counts that are numbers, times without a zone."""
    found = junit_schema.iter_errors(ET.fromstring(drawn(name, "junit").encode()))
    assert [error.reason for error in found] == []


@pytest.mark.parametrize(
    "wrong",
    [
        '<testsuites tests="1" failures="0" errors="0"/>',
        '<testsuites tests="x" failures="0" errors="0"><testsuite name="a" tests="0" failures="0" errors="0"/></testsuites>',
        '<testsuites tests="0" failures="0" errors="0"><testsuite name="a" tests="0" failures="0" errors="0" at="b"/></testsuites>',
    ],
)
def test_the_junit_schema_refuses_what_is_wrong(wrong, junit_schema):
    """Without a suite, with a count that is none, with an attribute that nobody knows."""
    assert not junit_schema.is_valid(ET.fromstring(wrong))


@EVERY
def test_junit_counts_what_it_holds(name):
    """It can be read as XML whatever the data holds, and its numbers are those of its cases."""
    suites = ET.fromstring(drawn(name, "junit").encode())
    (suite,) = suites
    numbers = {
        "tests": len(suite),
        "failures": sum(case.find("failure") is not None for case in suite),
        "errors": sum(case.find("error") is not None for case in suite),
        "skipped": sum(case.find("skipped") is not None for case in suite),
    }
    assert {key: int(suite.get(key)) for key in numbers} == numbers
    assert {key: int(suites.get(key)) for key in numbers} == numbers


def test_junit_of_an_interrupted_run_has_an_error():
    """What was not seen must not look like a pass."""
    assert "error" in cases(reports.crashed()).values()
    assert "error" not in cases(reports.ill_dry_run()).values()


@EVERY
def test_github_gives_one_command_a_line(name):
    """Whatever the data holds, nothing but our own annotations begins a line."""
    lines = drawn(name, "github").splitlines()
    assert len(lines) == max(1, len(ALL[name].findings))
    assert all(
        re.match(r"::(error|warning|notice) (file=[^:,]+,line=\d+,)?title=[^:,]+::", line) for line in lines
    )


def test_github_annotates_the_line_of_the_user(tmp_path, monkeypatch):
    """With the place, the level that GitHub has for it, and the sign of percent escaped."""
    monkeypatch.chdir(tmp_path)
    assert FORMATS["github"](reports.ill_dry_run()).splitlines()[2] == (
        "::warning file=captions.py,line=72,title=DL312 padding-waste::46%25 of the positions of `input_ids` are"
        " padding; batching by length would leave 8.1%25%0ABatch samples of similar length together."
    )


def test_github_names_no_file_outside_of_the_project(tmp_path, monkeypatch):
    """An annotation there would be lost."""
    monkeypatch.chdir(tmp_path)
    finding = Finding("DL105", "sample-failed", Level.ERROR, "it raised", "", SourceRef("/usr/lib/x.py", 3))
    report = replace(reports.healthy_dry_run(), findings=(finding,))
    assert FORMATS["github"](report) == "::error title=DL105 sample-failed::it raised\n"


def test_markdown_is_short_and_folds_the_rest():
    """A comment has the verdict, the vitals and a table in sight."""
    text = drawn("ill", "markdown")
    in_sight = re.sub(r"<details>.*?</details>\n*", "", text, flags=re.DOTALL)
    assert in_sight.splitlines()[:8] == [
        "### dldoctor dry-run captions.py:make\\_loader",
        "",
        "**something is wrong: 2 errors, 1 warning, 1 risk, 1 info; 20 rules: 11 clean, 4 not judged**",
        "",
        "| vital | measured |",
        "|---|---|",
        "| capacity | 413 samples/s (398 .. 432), batches being taken as they come |",
        "| padding | 46.1% of token positions (43% .. 49%) |",
    ]
    assert text.count("<details>") == text.count("</details>") == 6


def test_markdown_of_many_findings_fits_a_comment():
    """GitHub takes 65,536 characters."""
    assert len(drawn("many", "markdown")) < 30_000
    assert "and 280 more findings" in drawn("many", "markdown")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`image` holds 3 NaN", "`image` holds 3 NaN"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("@everyone see #12 and GH-3", "@<!-- -->everyone see #<!-- -->12 and GH<!-- -->-3"),
        ("http://evil.example www.evil.example", "http<!-- -->://evil.example www<!-- -->.evil.example"),
        ("![x](y) [z](u) a*b_c", "\\!\\[x\\](y) \\[z\\](u) a\\*b\\_c"),
        ("one ` alone <b>", "one \\` alone &lt;b&gt;"),
        ("a | b", "a \\| b"),
        ("`` <b>", "\\`\\` &lt;b&gt;"),
        ("two\nlines", "two lines"),
    ],
)
def test_markdown_shows_text_as_text(text, expected):
    """No mention, no link, no reference and no markup comes of the user's data; names in backticks stay."""
    assert escaped(text) == expected
    assert escaped("`a|b`", cell=True) == "`a\\|b`"


def test_markdown_of_hostile_text_renders_to_our_own_tags_alone():
    """Read by a renderer that lets HTML through, as GitHub's does."""
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(drawn("hostile", "markdown"))
    tags = {tag.lower() for tag in re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", page)}
    assert tags == {
        "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li",
        "pre", "code", "sub",
    }  # fmt: skip


def test_a_fence_is_longer_than_any_in_the_text():
    """Data cannot leave the block of code."""
    assert code("a ```` b").splitlines() == ["`````console", "a ```` b", "`````"]


def test_known_findings_are_told_apart(tmp_path):
    """In SARIF by their state, in JUnit as passes, in the comment by a count."""
    earlier = reports.ill_dry_run()
    now = replace(
        earlier,
        findings=(
            *earlier.findings,
            Finding("DL202", "constant-sample", Level.ERROR, "one image is black", "", reports.DATASET),
        ),
    )
    report = against(now, earlier, "before.json")
    states = [(one["ruleId"], one["baselineState"]) for one in sarif_run(report)["results"]]
    assert states == [("DL202", "new"), *((one.rule, "unchanged") for one in earlier.findings)]
    assert {rule for rule, became in cases(report).items() if became == "failure"} == {"DL202"}
    assert "1 error; new since the baseline; 5 known" in FORMATS["markdown"](report)
