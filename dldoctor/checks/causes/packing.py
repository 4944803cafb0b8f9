"""How the documents of packed rows are kept apart, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.checks.base import Case
from dldoctor.checks.causes.labels import TUNED, labels_of
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelGroup
from dldoctor.finding import Level

Isolation = Literal["block", "numbers", "bounds", "positions", "defeated", "none"]


@dataclass(frozen=True)
class Pack:
    """The packed rows of one group."""

    group: LabelGroup
    rows: tuple[LabelRow, ...]
    isolation: Isolation
    """What keeps documents apart: a block mask, a mask of document numbers, cumulative lengths, or
    positions that begin anew; `defeated`: positions begin anew beside a mask of ones."""


def packs_of(case: Case) -> tuple[Pack, ...]:
    """Return the packed rows by group."""
    labels = labels_of(case)
    packs = []
    for number, group in enumerate(labels.groups):
        rows = tuple(row for row in labels.rows if row.group == number and row.documents > 1)
        if rows:
            packs.append(Pack(group, rows, _isolation(case, group, rows)))
    return tuple(packs)


def is_displaced(pack: Pack, row: LabelRow) -> bool:
    """Whether positions begin anew often enough, at other places than those where documents are said to begin."""
    stated = pack.group.documents_by in ("segments", "bounds", "mask")
    return stated and row.restarts >= row.documents and row.beside > 0


def _isolation(case: Case, group: LabelGroup, rows: tuple[LabelRow, ...]) -> Isolation:
    if group.mask_kind == "block":
        return "block"
    if group.mask_kind == "documents":
        return "numbers"
    if group.boundaries is not None:
        return "bounds"
    restarts = all(row.restarts >= row.documents for row in rows)
    if not restarts:
        return "none"
    plain = group.mask is not None and group.mask_kind in ("flags", "inverted")
    return "defeated" if plain and case.intent.attn != "flash" else "positions"


def level_of(case: Case, at_most: Level) -> Level:
    """Return the level for what is usual in pretraining: a note there, and where nothing is declared."""
    intent = case.intent
    if intent.allow_cross_document or intent.task == "pretrain":
        return Level.INFO
    return at_most if intent.task in TUNED or intent.completion_only else Level.INFO


def documents_in(rows: tuple[LabelRow, ...]) -> int:
    """Return the documents of all rows."""
    return sum(row.documents for row in rows)
