"""Formats by name and by extension."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dldoctor.errors import ConfigError
from dldoctor.render import FORMATS, format_of
from dldoctor.report import dumps, loads
from tests.render import reports

PLAIN = ["healthy_dry_run", "ill_dry_run", "empty", "crashed", "many_findings"]


def test_the_formats_are_those_that_are_built():
    """No format is listed that is not built."""
    assert list(FORMATS) == ["terminal", "json", "html", "sarif", "junit", "markdown", "github"]


@pytest.mark.parametrize(
    ("path", "given", "expected"),
    [
        ("out.json", None, "json"),
        ("out.HTML", None, "html"),
        ("folder.json/out.txt", None, "terminal"),
        ("-", None, "terminal"),
        ("-", "json", "json"),
        ("out.json", "html", "html"),
        ("report", "json", "json"),
        ("out.sarif", None, "sarif"),
        ("out.xml", None, "junit"),
        ("out.md", None, "markdown"),
        ("-", "github", "github"),
    ],
)
def test_the_format_is_the_given_one_or_that_of_the_extension(path, given, expected):
    """An explicit format wins over the extension."""
    assert format_of(Path(path), given) == expected


@pytest.mark.parametrize(
    ("path", "given", "message"),
    [
        ("out.htm", None, "no format for `.htm` of `out.htm`; did you mean `.html`? (.txt .json .html .sarif .xml .md; or name one with `--format`)"),
        ("out.zzz", None, "no format for `.zzz` of `out.zzz` (.txt .json .html .sarif .xml .md; or name one with `--format`)"),
        ("report", None, "the format of `report` cannot be told without an extension (.txt .json .html .sarif .xml .md; or name one with `--format`)"),
        ("out.json", "jsn", "no format `jsn`; did you mean `json`? (terminal, json, html, sarif, junit, markdown, github)"),
        ("out.json", "zzz", "no format `zzz` (terminal, json, html, sarif, junit, markdown, github)"),
    ],
)  # fmt: skip
def test_an_unknown_format_is_told_with_the_nearest(path, given, message):
    """A typing error is answered by what is nearest."""
    with pytest.raises(ConfigError) as caught:
        format_of(Path(path), given)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", PLAIN)
def test_json_is_read_back_to_the_same_report(name):
    """What is saved is what was measured."""
    report = getattr(reports, name)()
    assert loads(FORMATS["json"](report)) == report


def test_json_has_the_keys_of_the_contract():
    """Scripts find the keys that they were promised, in order."""
    assert list(json.loads(FORMATS["json"](reports.ill_dry_run()))) == [
        "schema", "tool", "command", "target", "complete", "started_at", "duration_s", "overhead", "machine",
        "loader", "declared", "inferred", "evidence", "checks", "findings", "summary", "fail_on", "baseline", "arguments", "faults",
    ]  # fmt: skip


@pytest.mark.parametrize("format_name", ["terminal", "html", "sarif", "junit", "markdown", "github"])
@pytest.mark.parametrize("name", PLAIN)
def test_a_saved_report_is_drawn_as_the_live_one(name, format_name):
    """Any format can be drawn again from the JSON."""
    report = getattr(reports, name)()
    assert FORMATS[format_name](loads(dumps(report))) == FORMATS[format_name](report)
