"""A comment for a pull request: the verdict in sight, the rest folded."""

from __future__ import annotations

import html
import re
from typing import Final

from dldoctor.render.clean_text import clean
from dldoctor.render.content import heading, verdict
from dldoctor.render.content.findings import FindingCard, finding_cards
from dldoctor.render.content.judgements import NOT_APPLICABLE, not_judged
from dldoctor.render.content.vitals import verdict_line, vitals
from dldoctor.report import Report

FINDINGS_SHOWN: Final = 20
"""A comment on GitHub holds 65,536 characters."""
_MARKS: Final = re.compile(r"([\\`*_{}\[\]|~^$!])")
_LINKED: Final = re.compile(r"@|#|(?<=[A-Za-z])(?=://)|www(?=\.)|GH(?=-\d)", re.IGNORECASE)
"""What GitHub makes a mention, a reference or a link of, wherever it stands in a text."""


def markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown."""
    cards = finding_cards(report)
    parts = [
        f"### {escaped(heading.title(report))}",
        f"**{escaped(verdict_line(report))}**",
        _vitals(report),
        f"_{escaped(verdict.incomplete(report))}_" if verdict.incomplete(report) else "",
        _table(cards[:FINDINGS_SHOWN]),
        f"_and {len(cards) - FINDINGS_SHOWN} more findings_" if len(cards) > FINDINGS_SHOWN else "",
        *(_folded(card) for card in cards[:FINDINGS_SHOWN]),
        _unjudged(report),
        f"<sub>{escaped(_foot(report))}</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str, *, cell: bool = False) -> str:
    """Return text as text: no markup, mention, link or reference, but for the names in backticks.

    In the `cell` of a table a bar would end it, even in backticks.
    """
    parts = clean(text).split("`")
    if len(parts) % 2 == 0 or not all(name.strip() for name in parts[1::2]):
        return _plain("`".join(parts))  # they are not in pairs, or hold nothing
    return "".join(
        f"`{part.replace('|', chr(92) + '|') if cell else part}`" if number % 2 else _plain(part)
        for number, part in enumerate(parts)
    )


def _plain(text: str) -> str:
    return _apart(_MARKS.sub(r"\\\1", html.escape(text, quote=False)))


def _apart(text: str) -> str:
    return _LINKED.sub(lambda found: f"{found[0]}<!-- -->", text)


def _in_html(text: str) -> str:
    """Return text for a line of HTML, in which Markdown means nothing."""
    return _apart(html.escape(clean(text), quote=False))


def code(text: str) -> str:
    """Return text as a block of code, with a fence that the text cannot close."""
    shown = clean(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}console\n{shown}\n{fence}"


def _vitals(report: Report) -> str:
    rows = [f"| {one.name} | {escaped(one.text, cell=True)} |" for one in vitals(report)]
    return "\n".join(("| vital | measured |", "|---|---|", *rows)) if rows else ""


def _table(cards: tuple[FindingCard, ...]) -> str:
    if not cards:
        return ""
    rows = []
    for card in cards:
        cells = (card.level.value, f"{card.rule} {card.name}", clean(card.message, 160), card.where)
        rows.append(f"| {' | '.join(escaped(text, cell=True) for text in cells)} |")
    return "\n".join(("| level | rule | what was found | where |", "|---|---|---|---|", *rows))


def _folded(card: FindingCard) -> str:
    rows = (("Found", card.message), ("Help", card.advice), ("Where", card.where), ("Samples", card.samples))
    lines = [f"- {label}: {escaped(text)}" for label, text in rows if text]
    lines += ["", code(card.reproduce)] if card.reproduce else []
    return _details(f"{card.level.value} {card.rule} {card.name}", lines)


def _unjudged(report: Report) -> str:
    groups = not_judged(report)
    total = sum(len(group.rules) for group in groups)
    lines = [
        f"- {escaped(group.who)}, {group.status}: {escaped(group.reason)}"
        for group in groups
        if group.status != NOT_APPLICABLE
    ]
    if rest := total - sum(len(group.rules) for group in groups if group.status != NOT_APPLICABLE):
        lines.append(f"- {rest} do not apply to this loader")
    return _details(f"Not judged: {total} of {len(report.checks)} rules", lines) if groups else ""


def _details(summary: str, lines: list[str]) -> str:
    # Markdown begins again after the empty line.
    return "\n".join(("<details>", f"<summary>{_in_html(summary)}</summary>", "", *lines, "", "</details>"))


def _foot(report: Report) -> str:
    return f"{report.tool.name} {report.tool.version}, {heading.extent_line(report)}"
