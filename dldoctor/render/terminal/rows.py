"""Some rows to look at, in a few lines each."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from dldoctor.evidence.row_media import MediaRow, RowMediaEvidence, RowSound, TextPiece
from dldoctor.render.clean_text import clean
from dldoctor.render.content import rows as content
from dldoctor.render.content.row_findings import rules_by_sample
from dldoctor.render.numbers import counted
from dldoctor.render.terminal.page import Block, Page, block
from dldoctor.report import Report

ROWS = 4
TEXT = 150


def section(report: Report, page: Page) -> Block | None:
    """Return the first rows, those that a finding names before others."""
    found = content.found(report)
    if found is None:
        return None
    return block(page.title("Rows", content.title(found)), _lines(report, found, page))


def _lines(report: Report, found: RowMediaEvidence, page: Page) -> Iterator[RenderableType]:
    rows, rules = found.rows, rules_by_sample(report)
    ordered = sorted(rows, key=lambda row: row.sample is None or row.sample not in rules)
    shown = len(rows) if page.verbose else ROWS
    for row in ordered[:shown]:
        named = rules.get(row.sample, ()) if row.sample is not None else ()
        yield page.line(content.row_title(row) + "".join(f" [{one.rule}]" for one in named), "bold")
        for name, text in _facts(row):
            yield page.labelled(name, text)
    if len(rows) > shown:
        yield page.line(
            f"and {counted(len(rows) - shown, 'more row', 'more rows')} (-o page.html shows them with their media)",
            "dim",
        )
    for line in content.lines(found):
        yield page.line(line, "dim")


def _length(sound: RowSound) -> str:
    if sound.rate_from == "assumed":
        return counted(round(sound.seconds * sound.rate), "value")
    return f"{sound.seconds:.3g} s"


def _piece(piece: TextPiece) -> str:
    if piece.kind == "padding":
        return ""
    return f"[{piece.text}]" if piece.kind == "placeholder" else piece.text


def _facts(row: MediaRow) -> Iterator[tuple[str, str]]:
    if row.own_id or row.files:
        yield "id", clean(", ".join(filter(None, (row.own_id, *row.files[:2]))), TEXT)
    media = [f"{one.path} {one.width}x{one.height}" for one in row.pictures[:3]]
    media += [f"{one.path} {_length(one)}" for one in row.sounds]
    media += [f"{one.path} {counted(one.count, 'box', 'boxes')}" for one in row.boxes]
    media += [f"{one.path} mask {one.width}x{one.height}" for one in row.masks]
    if media:
        yield "media", clean(", ".join(media), TEXT)
    elif row.shapes:
        yield "shapes", clean(", ".join(f"{one.path} {one.text}" for one in row.shapes), TEXT)
    for text in row.texts[:2]:
        yield "text", clean("".join(_piece(one) for one in content.text_view(text).pieces), TEXT)
    if row.labels:
        yield "label", clean(", ".join(f"{one.path} {one.text}" for one in row.labels), TEXT)
