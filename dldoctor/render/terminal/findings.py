"""The findings, worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.render.content.findings import FindingCard, finding_cards
from dldoctor.render.terminal.page import LABEL_WIDTH, LEVEL_STYLES, Block, Page, Paragraph, block
from dldoctor.report import Report

FACTS_SHOWN = 8
FINDINGS_IN_SIGHT = 4
"""More than these scroll away; then a list with one line each follows them."""

_SHELL_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")


def sections(report: Report, page: Page) -> Iterator[Block]:
    """Yield a block for each finding, then, if they are many, the list of them."""
    cards = finding_cards(report)
    for card in cards:
        found = block(_head(page, card), _body(page, card))
        if found:
            yield found
    if len(cards) > FINDINGS_IN_SIGHT:
        listed = block(page.title("Findings, in short"), (_short(page, card) for card in cards))
        if listed:
            yield listed


def _head(page: Page, card: FindingCard) -> Text:
    head = Text().append_text(page.text(card.level.value, LEVEL_STYLES[card.level]))
    return head.append_text(page.text(f" {card.rule} {card.name}", "bold"))


def _body(page: Page, card: FindingCard) -> Iterator[RenderableType]:
    yield page.line(card.message)
    if card.advice:
        yield page.labelled("help", card.advice)
    if card.where:
        yield page.labelled("where", card.where)
    if card.samples:
        yield page.labelled("samples", card.samples)
    if card.facts:
        yield page.labelled("facts", _facts(page, card), "dim")
    if card.reproduce:
        yield _command(page, card.reproduce)


def _facts(page: Page, card: FindingCard) -> str:
    limit = 200 if page.verbose else 60
    kept = card.facts if page.verbose else card.facts[:FACTS_SHOWN]
    pairs = [f"{name} {value if len(value) <= limit else value[: limit - 1] + '…'}" for name, value in kept]
    left_out = len(card.facts) - len(kept)
    return " · ".join(pairs) + (f" and {left_out} more (--verbose)" if left_out else "")


def _command(page: Page, command: str) -> Paragraph:
    """Return the command, broken between its words so that it can still be pasted into a shell."""
    room = max(page.width - LABEL_WIDTH - 2, 20)  # two for the sign of the break
    lines: list[str] = []
    for word in _SHELL_WORD.findall(page.text(command).plain):
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return page.labelled("repeat", " \\\n".join(lines))


def _short(page: Page, card: FindingCard) -> Paragraph:
    lead = Text("  ").append_text(page.text(card.level.value.ljust(9), LEVEL_STYLES[card.level]))
    place = f"  {card.where}" if card.where else ""
    return Paragraph(page.text(f"{card.rule} {card.name}{place}"), lead)
