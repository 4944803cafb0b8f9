"""DL321 positions-not-reset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import samples_of
from dldoctor.checks.causes.packing import Pack, documents_in, is_displaced, packs_of
from dldoctor.checks.wording import counted
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PositionsNotReset(Check):
    """Positions run on from one document of a pack to the next.

    ## Why it hurts
    Later documents are learned at positions that they never have when the model is used.

    ## What to do
    Let `position_ids` begin at 0 with each document.

    ## When it is wrong
    In pretraining it is usual, and a note with `--task pretrain`. Positions that begin anew at other places than
    those where the batch says that documents begin are told in any case: one of the two fields is wrong.
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
            beside = tuple(row for row in pack.rows if is_displaced(pack, row))
            if beside:
                yield self._beside(case, pack, beside)
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

    def _beside(self, case: Case, pack: Pack, rows: tuple[LabelRow, ...]) -> Finding:
        """Report documents that begin at other places than positions do."""
        group, spec = pack.group, case.evidence.loader
        moved, inner = sum(row.beside for row in rows), documents_in(rows) - len(rows)
        stated = group.boundaries or group.mask
        return self.finding(
            f"`{group.positions}` begins anew at other places than `{stated}` says that documents begin: at"
            f" {moved} of {counted(inner, 'boundary', 'boundaries')} in {counted(len(rows), 'packed row')} position 0"
            f" is not the first token",
            advice=f"Make `{group.positions}` and `{stated}` from the same lengths, with all special tokens counted.",
            level=self.level if group.certain else Level.INFO,
            where=spec.collate_ref if spec else None,
            samples=samples_of(rows),
            fields=[group.positions, stated],
            beside=moved,
            boundaries=inner,
            rows=len(rows),
        )
