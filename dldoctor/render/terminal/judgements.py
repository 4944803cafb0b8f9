"""Which rules were clean, and which did not judge and why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.render.content.judgements import NOT_APPLICABLE, NotJudged, clean_rules, not_judged
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report


def clean_section(report: Report, page: Page) -> Block | None:
    """Return the rules that judged and found nothing."""
    rules = clean_rules(report)
    return block(
        page.title("Judged clean", f"{len(rules)} of {len(report.checks)} rules"), _rules(page, rules)
    )


def unjudged_section(report: Report, page: Page) -> Block | None:
    """Return the rules that did not judge, by reason; those that do not apply are counted unless all is shown."""
    groups = not_judged(report)
    shown = groups if page.verbose else tuple(one for one in groups if one.status != NOT_APPLICABLE)
    total, folded = _rules_of(groups), _rules_of(groups) - _rules_of(shown)
    lines = list(_groups(page, shown))
    if folded:
        more = "more do" if shown else "do"
        lines.append(page.line(f"{folded} {more} not apply to this loader (--verbose lists them)", "dim"))
    return block(page.title("Not judged", f"{total} of {len(report.checks)} rules"), lines)


def _rules_of(groups: tuple[NotJudged, ...]) -> int:
    return sum(group.size for group in groups)


def _rules(page: Page, rules: tuple[tuple[str, str], ...]) -> Iterator[RenderableType]:
    if page.verbose:
        yield from (page.line(f"{number} {name}") for number, name in rules)
    elif rules:
        yield page.line(" ".join(number for number, _ in rules))


def _groups(page: Page, groups: tuple[NotJudged, ...]) -> Iterator[RenderableType]:
    for group in groups:
        who = ", ".join(f"{number} {name}" for number, name in group.rules) if page.verbose else group.who
        yield page.line(f"{who}  {group.status}: {group.reason}")
