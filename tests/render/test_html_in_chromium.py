"""The page in a real, headless Chromium: no console error, no script of the data, a filter that works.

A script of the test is added to a copy of the page, with its own hash in the policy; Chromium runs
it and prints the document that results.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import subprocess
from typing import Any

import pytest

from dldoctor.render import FORMATS
from tests.render import reports

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom",
)  # fmt: skip


def with_script(page: str, script: str) -> str:
    """The page with one more script, which its policy allows."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = page.replace("script-src ", f"script-src &#39;sha256-{digest}&#39; ", 1)
    return allowed.replace("</body>", f"<script>{script}</script></body>")


@pytest.fixture
def opened(chromium, tmp_path):
    """A function that opens a page, runs a script in it and returns its answer and the console's lines."""

    def run(page: str, script: str, width: int = 1400) -> tuple[Any, list[str]]:
        answer = f"document.documentElement.dataset.answer = JSON.stringify((() => {{ {script} }})());"
        path = tmp_path / "report.html"
        path.write_text(with_script(page, answer), encoding="utf-8")
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        done = subprocess.run(
            [chromium, *FLAGS, profile, f"--window-size={width},900", path.as_uri()],
            capture_output=True, text=True, encoding="utf-8", timeout=90, check=True,
        )  # fmt: skip
        found = re.search(r'data-answer="([^"]*)"', done.stdout)
        lines = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return (json.loads(html.unescape(found[1])) if found else None), lines

    return run


VISIBLE = "[...document.querySelectorAll('.finding')].filter(c => c.checkVisibility()).map(c => c.querySelector('h3').textContent.trim())"


def test_a_console_error_would_be_seen(opened):
    """The harness itself: what a page complains of reaches the test."""
    answer, console = opened(FORMATS["html"](reports.empty()), "console.error('complaint'); return 1")
    assert answer == 1
    assert [line for line in console if "complaint" in line] != []


@pytest.mark.parametrize("name", ["healthy_dry_run", "ill_dry_run", "hostile", "empty", "crashed"])
def test_the_page_opens_without_a_complaint_and_without_a_request(opened, name):
    """No console line (a breach of the policy would be one) and no resource but the page itself."""
    answer, console = opened(
        FORMATS["html"](getattr(reports, name)()),
        "return performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith('data:'))",
    )
    assert console == []
    assert answer == []


def test_hostile_text_is_text(opened):
    """Markup in a caption shows as its letters: it makes no element and runs nothing."""
    answer, _ = opened(
        FORMATS["html"](reports.hostile()),
        "return [document.title, document.querySelectorAll('img, iframe, .message b, main script').length,"
        " document.querySelector('#DL900-1 .message').textContent]",
    )
    assert answer == [
        (
            '12 warnings - dldoctor dry-run <script>document.title="owned"</script><img src=x onerror=alert(1)>'
            " {{ 7*7 }} \"'><b>bold</b>"
        ),
        0,
        reports.HOSTILE[0],
    ]


def test_levels_and_words_filter_the_findings(opened):
    """Unticking a level hides its cards, words narrow them, clearing both shows all again."""
    answer, _ = opened(
        FORMATS["html"](reports.ill_dry_run()),
        f"""
        const visible = () => {VISIBLE};
        const box = level => document.querySelector(`[name=level][value=${{level}}]`);
        const search = document.querySelector('[name=text]');
        const type = text => {{ search.value = text; search.dispatchEvent(new Event('input', {{bubbles: true}})); }};
        const seen = [visible().length];
        box('error').click();
        seen.push(visible());
        type('prefetch FLIGHT');
        seen.push(visible(), document.getElementById('shown').textContent);
        type('');
        box('error').click();
        seen.push(visible().length, document.getElementById('shown').textContent);
        return seen;
        """,
    )
    assert answer == [
        5,
        ["warning DL312 padding-waste", "risk DL806 prefetch-memory", "info DL113 tail-batch-of-one"],
        ["risk DL806 prefetch-memory"],
        "1 of 5 shown",
        5,
        "",
    ]


def test_the_slash_key_leads_to_the_search(opened):
    """The filter is reached from the keyboard."""
    answer, _ = opened(
        FORMATS["html"](reports.ill_dry_run()),
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true, cancelable: true}));"
        "return document.activeElement.name",
    )
    assert answer == "text"


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", ["ill_dry_run", "hostile"])
def test_the_page_itself_never_scrolls_sideways(opened, name, width):
    """Wide tables scroll within themselves; the page fits a phone and a wide screen."""
    # A headless window is at least 500 wide, so the document itself is made narrow.
    answer, _ = opened(
        FORMATS["html"](getattr(reports, name)()),
        f"document.documentElement.style.width = '{width}px'; document.body.offsetWidth;"
        "const limit = document.documentElement.getBoundingClientRect().right + 1;"
        "return [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, pre, svg, .skip, .visually-hidden')"
        " && e.getBoundingClientRect().right > limit).map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))",
        width,
    )
    assert answer == []
