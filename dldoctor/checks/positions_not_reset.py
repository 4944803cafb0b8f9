"""DL321 positions-not-reset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import samples_of
from dldoctor.checks.causes.packing import documents_in, packs_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PositionsNotReset(Check):
    """Positions run on from one document of a pack to the next.

    ## Why it hurts
    Later documents are learned at positions that they never have when the model is used.

    ## What to do
    Let `position_ids` begin at 0 with each document.

    ## When it is wrong
    In pretraining it is usual, and a note with `--task pretrain`.
    """

    rule: ClassVar[str] = "DL321"
    name: ClassVar[str] = "positions-not-reset"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare documents with restarts."""
        packs = [pack for pack in packs_of(case) if pack.group.positions is not None]
        if not packs:
            yield not_applicable("no row holds several documents with positions")
            return
        for pack in packs:
            bad = tuple(row for row in pack.rows if row.restarts < row.documents)
            # Without anything that keeps documents apart the leak is the fault, and DL322 tells it.
            if not bad or (pack.isolation == "none" and pack.group.documents_by in ("samples", "eos")):
                continue
            documents, restarts = documents_in(bad), sum(row.restarts for row in bad)
            note = (
                case.intent.task == "pretrain" or case.intent.allow_cross_document or not pack.group.certain
            )
            spec = case.evidence.loader
            yield self.finding(
                f"`{pack.group.positions}` begins anew {counted(restarts, 'time')} for {counted(documents, 'document')} "
                f"in {counted(len(bad), 'packed row')} (documents by {pack.group.documents_by})",
                advice="Let the positions begin at 0 with each document.",
                level=Level.INFO if note else self.level,
                where=spec.collate_ref if spec else None,
                samples=samples_of(bad),
                fields=[pack.group.positions],
                documents=documents,
                restarts=restarts,
                rows=len(bad),
            )
