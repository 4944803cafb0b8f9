"""The pages that are written by hand: their links lead somewhere, and their commands exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from dldoctor.cli.help import COMMANDS
from dldoctor.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guide").glob("*.md")})
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def options_of(command: str) -> frozenset[str]:
    root = get_command(app)
    own = root.get_command(typer.Context(root), command)
    assert own is not None
    return frozenset(name for one in own.params for name in (*one.opts, *one.secondary_opts)) | {"--help"}


def commands_of(text: str) -> list[list[str]]:
    """The words of each command line of ours in the blocks and spans of a page, without comments."""
    blocks = re.findall(r"^ *```(?:console|bash|yaml)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    spans = re.findall(r"`(dldoctor [^`]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    found = [match[1] for line in lines if (match := re.search(r"(?:^|\$ |run: |^ +)(dldoctor .*)", line))]
    return [shlex.split(re.split(r"\s(?:\||#|\|\||>)", one)[0]) for one in (*found, *spans)]


@EACH
def test_commands_exist_and_have_these_options(page):
    """What one copies from a page must not be refused."""
    wrong = []
    for words in commands_of(page.read_text("utf-8")):
        name = words[1] if len(words) > 1 else ""
        if name.startswith("-") or name == "":
            continue
        if name not in COMMANDS:
            wrong.append(" ".join(words))
            continue
        options = [word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-zA-Z]", word)]
        wrong += [f"{name} {option}" for option in options if option not in options_of(name)]
    assert wrong == []


@EACH
def test_links_lead_to_files(page):
    """Relative to the page, as a repository's browser shows it."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.slow
def test_the_site_is_built_without_a_complaint(tmp_path):
    """With links and anchors checked, and nothing fetched when a page is opened."""
    pytest.importorskip("material")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, [line for line in done.stderr.splitlines() if line.startswith("WARNING")]) == (
        0,
        [],
    )
    start = (tmp_path / "index.html").read_text("utf-8")
    assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]*\.(?:js|css|woff2?)[^"]*"', start) == []
