"""The findings, worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dldoctor.render.content.findings import FindingCard, finding_cards
from dldoctor.render.terminal.page import LABEL_WIDTH, LEVEL_STYLES, Block, Page, Paragraph, block
from dldoctor.report import Report

FACTS_SHOWN = 6
FACT_WIDTH = 48
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
    if facts := _facts(page, card):
        yield page.labelled("facts", facts, "dim")
    if card.reproduce:
        yield _command(page, card.reproduce)


def _facts(page: Page, card: FindingCard) -> str:
    """Return what the sentence does not say; a value is shown whole or not at all."""
    if page.verbose:
        return " · ".join(f"{name} {value}" for name, value in card.facts)
    new = [(name, value) for name, value in card.facts if not _is_told(value, card.message)]
    kept = [(name, value) for name, value in new if len(value) <= FACT_WIDTH][:FACTS_SHOWN]
    left_out = len(new) - len(kept)
    more = [f"{left_out} more (--verbose)"] if left_out and kept else []
    return " · ".join([f"{name} {value}" for name, value in kept] + more)


def _is_told(value: str, message: str) -> bool:
    """Whether a fact tells nothing beside the sentence: it stands there as a word, or is nothing."""
    if value in ("", "none", "0"):
        return True
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", message) is not None


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
