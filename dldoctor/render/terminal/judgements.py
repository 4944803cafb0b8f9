"""Which rules were clean, and which did not judge and why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.judgements import NotJudged, clean_rules, not_judged
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report


def clean_section(report: Report, page: Page) -> Block | None:
    """Return the rules that judged and found nothing."""
    rules = clean_rules(report)
    return block(
        page.title("Judged clean", f"{len(rules)} of {len(report.checks)} rules"), _rules(page, rules)
    )


def unjudged_section(report: Report, page: Page) -> Block | None:
    """Return the rules that did not judge, by reason."""
    groups = not_judged(report)
    total = sum(len(group.rules) for group in groups)
    return block(page.title("Not judged", f"{total} of {len(report.checks)} rules"), _groups(page, groups))


def _rules(page: Page, rules: tuple[tuple[str, str], ...]) -> Iterator[RenderableType]:
    if page.verbose:
        yield from (page.line(f"{number} {name}") for number, name in rules)
    elif rules:
        yield page.line(" ".join(number for number, _ in rules))


def _groups(page: Page, groups: tuple[NotJudged, ...]) -> Iterator[RenderableType]:
    for group in groups:
        numbers = " ".join(f"{number} {name}," if page.verbose else number for number, name in group.rules)
        yield page.line(f"{numbers.rstrip(',')}  {group.status}: {group.reason}")
