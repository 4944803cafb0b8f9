"""The page as text: self-contained, escaped, bounded."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from html.parser import HTMLParser

import pytest

from dldoctor.render import FORMATS
from tests.render import reports

ALL = {
    "healthy": reports.healthy_dry_run(),
    "ill": reports.ill_dry_run(),
    "hostile": reports.hostile(),
    "empty": reports.empty(),
    "crashed": reports.crashed(),
    "many": reports.many_findings(2000),
}
PAGES = {name: FORMATS["html"](report) for name, report in ALL.items()}

VOID = {"meta", "link", "input", "br", "line"}


class Outline(HTMLParser):
    """Tags, attributes, headings and ids of a page; fails where a tag is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.headings: list[int] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, name: str) -> list[str | None]:
        return [value for key, value in self.attributes if key == name]


@pytest.mark.parametrize("name", PAGES)
def test_the_page_refers_to_nothing_outside_itself(name):
    """Every reference is an anchor or empty, and the style loads nothing."""
    outline = Outline(PAGES[name])
    targets = [*outline.all("href"), *outline.all("src"), *outline.all("action"), *outline.all("srcset")]
    assert [target for target in targets if target != "data:," and not target.startswith("#")] == []
    assert re.search(r"url\(|@import", PAGES[name].partition("</style>")[0]) is None


@pytest.mark.parametrize("name", PAGES)
def test_every_anchor_leads_somewhere(name):
    """Each link of the page has its target, and no id occurs twice."""
    outline = Outline(PAGES[name])
    ids = outline.all("id")
    assert [href for href in outline.all("href") if href != "data:," and href[1:] not in ids] == []
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", PAGES)
def test_headings_descend_one_step_at_a_time(name):
    """A screen reader can walk the headings: one h1, and no level is left out."""
    levels = Outline(PAGES[name]).headings
    assert levels.count(1) == 1
    assert [(a, b) for a, b in itertools.pairwise(levels) if b > a + 1] == []


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_names_the_hash_of_the_script_and_of_the_style(name):
    """Under the policy only what we wrote can run."""
    page = PAGES[name]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    hashes = {}
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes[tag] = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}';"
        " img-src data:; media-src data:; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", PAGES)
def test_no_attribute_runs_or_styles(name):
    """No inline handler and no inline style: the policy would refuse them."""
    outline = Outline(PAGES[name])
    assert [key for key, _ in outline.attributes if key == "style" or key.startswith("on")] == []


@pytest.mark.parametrize("name", PAGES)
def test_the_page_stays_small(name):
    """Well under 2 MB, even with thousands of findings."""
    assert len(PAGES[name].encode()) < 1_000_000


def test_many_findings_are_cut_and_counted():
    """A page that leaves findings out says how many."""
    assert PAGES["many"].count("<article") == 400
    assert "and 1,600 more findings that this page leaves out" in PAGES["many"]


def test_the_page_opens_at_the_verdict():
    """The counts stand before everything else."""
    page = PAGES["ill"]
    places = [page.index(text) for text in ('id="verdict"', 'id="findings"', 'id="samples"', 'id="settings"')]
    assert places == sorted(places)


def test_a_clean_page_says_how_far_that_goes():
    """Without a finding the page points at what was not judged."""
    assert "No rule found anything." in PAGES["healthy"]
    assert "15 clean, 5 not judged" in PAGES["healthy"]
