"""A command line that cannot be judged gets one clear line, the nearest match, and status 2."""

from __future__ import annotations

from typing import Any

import pytest

LINES = {
    "an unknown command": (
        ("dry-rum",),
        "dldoctor: no command `dry-rum`; did you mean `dry-run`? (`dldoctor --help`)",
    ),
    "an unknown option": (
        ("dry-run", "--batchs", "3"),
        "dldoctor: no such option: --batchs (Possible options: --batch-size, --batches, --epochs) (`dldoctor dry-run --help`)",
    ),
    "an unknown choice": (
        ("dry-run", "a.py", "--role", "trian"),
        ("dldoctor: invalid value for '--role': 'trian' is not one of 'train', 'eval', 'generate'; "
        "did you mean `train`? (`dldoctor dry-run --help`)"),
    ),
    "no size": (
        ("dry-run", "a.py", "--shm-bytes", "64MX"),
        ("dldoctor: invalid value for '--shm-bytes': '64MX' is not a size; write bytes, or a number with MB, GB, "
        "MiB or GiB (`dldoctor dry-run --help`)"),
    ),
    "no list of indices": (
        ("dry-run", "a.py", "--ids", "3,x"),
        "dldoctor: invalid value for '--ids': '3,x' is not a list of indices such as 3,17 (`dldoctor dry-run --help`)",
    ),
    "an unknown field role": (
        ("dry-run", "a.py", "--field", "token_id=x"),
        ("dldoctor: invalid value for '--field': no field role `token_id`; did you mean `token_ids`? "
        "(`dldoctor dry-run --help`)"),
    ),
    "an unknown budget": (
        ("dry-run", "a.py", "--budget", "paddings=0.3"),
        ("dldoctor: invalid value for '--budget': no budget `paddings`; did you mean `padding`? "
        "(`dldoctor dry-run --help`)"),
    ),
    "a keyword without a value": (
        ("dry-run", "a.py", "-k", "split"),
        "dldoctor: invalid value for '-k': 'split' is not of the form key=value (`dldoctor dry-run --help`)",
    ),
    "a missing argument": (
        ("explain",),
        "dldoctor: missing argument 'RULE'. (`dldoctor explain --help`)",
    ),
    "an unknown rule": (
        ("explain", "tail-batch-of-on"),
        "dldoctor: no rule `tail-batch-of-on`; did you mean `tail-batch-of-one`?",
    ),
    "an unknown rule to select": (
        ("dry-run", "a.py", "--select", "tail-batch"),
        "dldoctor: no rule `tail-batch`; did you mean `tail-batch-of-one`?",
    ),
    "an unknown format": (
        ("show", "--format", "jsn", "report.json"),
        "dldoctor: no format `jsn`; did you mean `json`? (terminal, json, html, sarif, junit, markdown, github)",
    ),
    "a missing config file": (
        ("dry-run", "a.py", "--config", "nowhere.toml"),
        "dldoctor: cannot read nowhere.toml: No such file or directory",
    ),
    "no target": (
        ("dry-run",),
        "dldoctor: no target was given, and there is no config file that names one",
    ),
    "a word that is no target": (
        ("dry-run", "train"),
        "dldoctor: no file and no named target `train`; a target is written file.py:name or package.module:name",
    ),
    "no report": (
        ("show",),
        "dldoctor: no report was given; write one with `-o report.json`",
    ),
    "a report that is not there": (
        ("show", "nowhere.json"),
        "dldoctor: cannot read nowhere.json: No such file or directory",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LINES)
def test_bad_usage_is_one_line_and_status_2(dldoctor: Any, case: str) -> None:
    """The line names the thing and the nearest match; nothing goes to standard output."""
    arguments, line = LINES[case]
    outcome = dldoctor(*arguments)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", line + "\n")


def test_a_bare_call_gets_the_help_and_status_2(dldoctor: Any) -> None:
    """Nothing was judged."""
    bare, helped = dldoctor(), dldoctor("--help")
    assert (bare.status, helped.status) == (2, 0)
    assert bare.out == helped.out


def test_a_file_that_is_no_report_is_named(dldoctor: Any, tmp_path: Any) -> None:
    """Neither broken JSON nor other JSON is shown."""
    (tmp_path / "other.json").write_text('{"schema": "other/1"}')
    (tmp_path / "broken.json").write_text("{")
    other, broken = dldoctor("show", "other.json"), dldoctor("show", "broken.json")
    assert (other.status, broken.status) == (2, 2)
    assert other.err == (
        "dldoctor: other.json is not a dldoctor report: schema is 'other/1', expected 'dldoctor.report/1'\n"
    )
    assert broken.err.startswith("dldoctor: broken.json is not a dldoctor report: ")


def test_help_names_every_command_and_no_other(dldoctor: Any) -> None:
    """A command that is not built is in no list."""
    lines = dldoctor("--help").out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "] == [
        "checkup", "dry-run", "profile", "sweep", "check-labels", "check-alignment", "check-workers", "check-sharding", "watch-memory",
        "env", "compare", "init", "show", "rules", "explain", "demo",
    ]  # fmt: skip


def test_version_is_printed(dldoctor: Any) -> None:
    """One word and the number."""
    from dldoctor import __version__

    assert dldoctor("--version").out == f"dldoctor {__version__}\n"
