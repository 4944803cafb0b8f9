"""The findings, worst first, each with what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dldoctor.finding import SAMPLES_KEPT, Finding, Level
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import ids_text, place_text
from dldoctor.render.numbers import duration, number, share, size
from dldoctor.report import Report

ROWS_SHOWN: Final = 24
"""Rows of a fact that is a table."""


@dataclass(frozen=True)
class FactTable:
    """A fact that is a list of rows."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first `ROWS_SHOWN`."""


@dataclass(frozen=True)
class FindingCard:
    """One finding, ready to be laid out."""

    level: Level
    rule: str
    name: str
    message: str
    advice: str
    where: str
    samples: str
    facts: tuple[tuple[str, str], ...]
    """Name and value, in the order in which the check gave them."""
    reproduce: str
    tables: tuple[FactTable, ...] = ()
    """Facts that are rows of equal keys; they stand among `facts` too, as one text."""


def finding_cards(report: Report) -> tuple[FindingCard, ...]:
    """Return the findings in the order of the report."""
    return tuple(card(finding) for finding in report.findings)


def card(finding: Finding, show: int = 8) -> FindingCard:
    """Return one finding as text."""
    ids = ids_text(finding.samples, show=show)
    if len(finding.samples) >= SAMPLES_KEPT:  # the list is cut there, and how many follow is not known here
        ids = ids_text(finding.samples[:show]) + " and more"
    return FindingCard(
        level=finding.level,
        rule=clean(finding.rule, 20),
        name=clean(finding.name, 60),
        message=clean(finding.message, 1000),
        advice=clean(finding.advice, 600),
        where=place_text(finding.where),
        samples=ids,
        facts=tuple(
            (_fact_name(key), text) for key, value in finding.facts.items() if (text := fact_text(key, value))
        ),
        reproduce=clean(finding.reproduce, 1000),
        tables=tuple(_table(key, value) for key, value in finding.facts.items() if _is_table(value)),
    )


def _is_table(value: Any) -> bool:
    rows = isinstance(value, list | tuple) and all(isinstance(row, dict) for row in value)
    return rows and len({tuple(row) for row in value}) == 1


def _table(key: str, value: Sequence[dict[str, Any]]) -> FactTable:
    names = tuple(value[0])
    return FactTable(
        _fact_name(key),
        tuple(_fact_name(name) for name in names),
        tuple(tuple(fact_text(name, row[name]) for name in names) for row in value[:ROWS_SHOWN]),
    )


def _fact_name(key: str) -> str:
    # The unit stands with the value.
    for unit in ("_bytes_per_s", "_bytes", "_ns"):
        key = key.removesuffix(unit)
    return clean(key.replace("_", " "), 40)


def fact_text(name: str, value: Any) -> str:
    """Return the value of a fact as text; the end of its name tells the unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _measured(name, value)
    if isinstance(value, dict):
        pairs = [f"{clean(str(k), 40)}: {fact_text(name, v)}" for k, v in list(value.items())[:8]]
        return ", ".join(pairs) + (", ..." if len(value) > 8 else "")
    if _is_table(value) and value:
        rows = [", ".join(f"{k} {fact_text(k, v)}" for k, v in row.items()) for row in value[:8]]
        return "; ".join(rows) + (f" and {len(value) - 8} more" if len(value) > 8 else "")
    if isinstance(value, list | tuple):
        shown = ", ".join(fact_text(name, item) for item in value[:8])
        return f"{shown} and {len(value) - 8} more" if len(value) > 8 else shown
    return "none" if value is None else clean(str(value), 120)


def _measured(name: str, value: float) -> str:
    words = name.split("_")
    if words[-1] == "bytes" or words[-3:-1] == ["bytes", "per"]:
        return size(value) + ("/s" if words[-1] == "s" else "")
    if words[0] == "bytes" and words[1:2] == ["per"]:
        return size(value)
    if words[-1] == "ns":
        return duration(value)
    if ("share" in words or words[-1] == "fraction") and 0 <= value <= 1:
        return share(value)
    return number(value)
