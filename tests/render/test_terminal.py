"""The terminal view, against golden files and against hostile text.

``REWRITE_GOLDEN=1 pytest tests/render`` writes the golden files anew; review them as a diff.
"""

from __future__ import annotations

import io
import os
import re
import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from dldoctor.render import FORMATS
from dldoctor.render.terminal import view
from dldoctor.report import Report
from tests.render import reports

GOLDEN = Path(__file__).parent / "golden"

ALL = {
    "healthy": reports.healthy_dry_run(),
    "ill": reports.ill_dry_run(),
    "hostile": reports.hostile(),
    "empty": reports.empty(),
    "crashed": reports.crashed(),
    "many": reports.many_findings(40),
}


def shown(
    report: Report, width: int = 80, encoding: str = "utf-8", *, verbose: bool = False, **console
) -> str:
    """What a console of that width and encoding receives."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    Console(file=out, width=width, legacy_windows=False, **console).print(view(report, verbose=verbose))
    out.flush()
    return raw.getvalue().decode(encoding)


def golden(name: str, text: str) -> str:
    """The expected text, after it was rewritten if that was asked for."""
    path = GOLDEN / name
    if os.environ.get("REWRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["healthy", "ill", "empty", "crashed"])
def test_plain_text_equals_the_golden_file(name):
    """The text form of a report is, to the letter, the reviewed one."""
    text = FORMATS["terminal"](ALL[name])
    assert text == golden(f"{name}.txt", text)


def test_verbose_view_equals_the_golden_file():
    """With --verbose nothing is left out."""
    text = shown(ALL["ill"], 100, verbose=True)
    assert text == golden("ill-verbose-100.txt", text)


def test_ascii_view_equals_the_golden_file():
    """An output without UTF-8 gets the same report in ASCII signs."""
    text = shown(ALL["healthy"], encoding="ascii")
    assert text == golden("healthy-ascii.txt", text)


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("name", ALL)
def test_no_line_is_wider_than_the_console(name, width, verbose):
    """Whatever the data, no line reaches beyond the width."""
    lines = shown(ALL[name], width, verbose=verbose).splitlines()
    assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.parametrize("name", ALL)
def test_no_line_ends_in_blanks(name):
    """Lines carry no trailing blanks, so that a saved text makes clean diffs."""
    lines = shown(ALL[name]).split("\n")
    assert [line for line in lines if line != line.rstrip(" ")] == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_encoding_without_unicode_gets_ascii(name, encoding):
    """Nothing fails to encode, and nothing but ASCII is written."""
    assert shown(ALL[name], encoding=encoding).isascii()


@pytest.mark.parametrize("name", ALL)
def test_plain_text_holds_no_control_character(name):
    """No escape, no control character, no direction override reaches the terminal."""
    text = FORMATS["terminal"](ALL[name]).replace("\n", "")
    kinds = {unicodedata.category(char) for char in text if char not in "\u200c\u200d"}
    assert kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


def test_markup_of_the_data_is_not_interpreted():
    """Square brackets and emoji names of the data come out as they went in."""
    text = FORMATS["terminal"](ALL["hostile"])
    assert "[red]markup[/red] [link=http://evil.example]x[/link] :smile: [/] [bold" in text


def test_without_colour_the_text_is_the_same():
    """Colour adds nothing that the words do not say."""
    coloured = shown(ALL["ill"], force_terminal=True, color_system="standard")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown(ALL["ill"])


def test_only_standard_colours_are_used():
    """Themes, light or dark, decide how the eight standard colours look; no other is asked for."""
    coloured = shown(ALL["ill"], force_terminal=True, color_system="truecolor")
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", coloured) for code in found.split(";")}
    assert codes == {"0", "1", "2", "31", "33", "35", "36"}


def test_a_style_ends_where_its_text_ends():
    """The dim label does not dim what stands beside it, nor the level's colour its rule."""
    lines = shown(ALL["ill"], force_terminal=True, color_system="standard").splitlines()
    first = next(i for i, line in enumerate(lines) if "DL105" in line and "sample-raises" in line)
    assert [lines[first], lines[first + 2]] == [
        "\x1b[1;31merror\x1b[0m\x1b[1m DL105 sample-raises\x1b[0m",
        "\x1b[2m  help     \x1b[0mRemove the samples, or repair their files.",
    ]


def test_no_color_leaves_no_colour():
    """A console that is told no colour gets bold and dim at most."""
    plain = shown(ALL["ill"], force_terminal=True, color_system="standard", no_color=True)
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", plain) for code in found.split(";")}
    assert codes == {"0", "1", "2"}


def test_the_last_line_is_the_verdict():
    """The eye finds the counts where the command ends."""
    last = {
        name: FORMATS["terminal"](ALL[name]).splitlines()[-1]
        for name in ("healthy", "ill", "empty", "crashed")
    }
    assert last == {
        "healthy": "no findings (20 rules: 15 clean, 5 not judged)",
        "ill": "2 errors, 1 warning, 1 risk, 1 info (20 rules: 11 clean, 4 not judged)",
        "empty": "nothing was judged (1 rule: 0 clean, 1 not judged)",
        "crashed": "1 error (20 rules: 14 clean, 5 not judged)",
    }


def test_a_healthy_run_takes_at_most_two_screens():
    """Two screens of 50 lines hold a healthy report."""
    assert len(FORMATS["terminal"](ALL["healthy"]).splitlines()) <= 100


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_ever_called_safe(name):
    """A report says what was judged; it does not vouch."""
    assert (
        re.search(r"\b(safe|all good|looks good|passed)\b", FORMATS["terminal"](ALL[name]), re.IGNORECASE)
        is None
    )


def test_a_command_to_repeat_can_be_pasted():
    """A command that is broken over lines joins to itself again, as a shell would join it."""
    command = "dldoctor dry-run captions.py:make_loader -k 'path=my data/train set' --ids " + ",".join(
        str(i) for i in range(1000, 1008)
    )
    report = reports.report_of(
        ALL["ill"].evidence, [reports.replace(reports.ill_findings()[0], reproduce=f"{command} --batches 3")]
    )
    text = FORMATS["terminal"](report)
    broken = text[text.index("dldoctor dry-run", 20) :].partition("\n\n")[0]
    assert "\\\n" in broken
    assert " ".join(broken.replace("\\\n", " ").split()) == f"{command} --batches 3"
