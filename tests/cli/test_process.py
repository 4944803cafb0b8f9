"""The command as a process: pipes, colours, exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def dldoctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-m", "dldoctor", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80", **environment},
    )


def test_a_reader_that_goes_away_changes_no_status(saved: Path) -> None:
    """`dldoctor show report.json --format json | head -1` ends well and says nothing more."""
    for form in ("json", "terminal"):
        done = subprocess.run(
            ["bash", "-c", f'"$0" -m dldoctor show "$1" --format {form} | true; exit ${{PIPESTATUS[0]}}', sys.executable, saved],
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")


def test_what_is_piped_has_no_colour(saved: Path) -> None:
    """A log is read without a terminal."""
    done = dldoctor("show", str(saved))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "a fact of level error" in done.stdout


def test_no_color_is_respected_where_colour_is_forced(saved: Path) -> None:
    """NO_COLOR and --no-color both take the colour away."""
    coloured = dldoctor("show", str(saved), FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[3" in coloured.stdout or "\x1b[1;3" in coloured.stdout
    plain = [
        dldoctor("show", str(saved), FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1"),
        dldoctor("show", str(saved), "--no-color", FORCE_COLOR="1", TERM="xterm-256color"),
    ]
    for done in plain:
        assert not any(
            f"\x1b[{code}" in done.stdout for code in ("31", "32", "33", "34", "35", "36", "1;3", "9")
        )


def test_the_status_of_bad_usage_leaves_the_process() -> None:
    """2, and one line on standard error."""
    done = dldoctor("dry-rum")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "dldoctor: no command `dry-rum`; did you mean `dry-run`? (`dldoctor --help`)\n"


def test_columns_set_the_width_of_what_is_piped(saved: Path) -> None:
    """A log of 60 columns has no line of more."""
    done = dldoctor("show", str(saved), COLUMNS="60")
    assert max(len(line) for line in done.stdout.splitlines()) <= 60


def completed(words: str) -> list[str]:
    """What a shell is told may follow."""
    position = str(len(words.split(" ")) - 1)
    done = dldoctor(_DLDOCTOR_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_a_shell_completes_commands_options_and_values() -> None:
    """Also of commands that are imported only when they are called."""
    assert completed("dldoctor che")[:2] == ["checkup", "check-labels"]
    assert completed("dldoctor checkup --fail-on w") == ["warning"]
    assert completed("dldoctor sweep --step-j") == ["--step-jitter"]


def test_the_shell_is_given_its_script() -> None:
    """``eval "$(_DLDOCTOR_COMPLETE=source_bash dldoctor)"`` turns completion on."""
    assert (
        "complete -o default -F _dldoctor_completion dldoctor"
        in dldoctor(_DLDOCTOR_COMPLETE="source_bash").stdout
    )
