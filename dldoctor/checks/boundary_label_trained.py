"""DL324 boundary-label-trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import samples_of, tuned
from dldoctor.checks.causes.packing import documents_in, is_displaced, packs_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class BoundaryLabelTrained(Check):
    """The first token of a packed document is a target, predicted from the document before it.

    ## Why it hurts
    The model learns to begin an unrelated text after each end token.

    ## What to do
    Ignore the label of the first token of each document (`DataCollatorWithFlattening` does).

    ## When it is wrong
    In pretraining it is usual: a note, unless the task is declared or prompts are seen to be ignored.
    """

    rule: ClassVar[str] = "DL324"
    name: ClassVar[str] = "boundary-label-trained"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Count targets at the beginnings of documents."""
        packs = [pack for pack in packs_of(case) if pack.group.label_kind not in ("none", "mlm")]
        if not packs:
            yield not_applicable("no row with labels holds several documents that can be told apart")
            return
        for pack in packs:
            bad = tuple(row for row in pack.rows if row.bound_trained and not is_displaced(pack, row))
            if not bad:
                continue
            trained, inner = sum(row.bound_trained for row in bad), documents_in(pack.rows) - len(pack.rows)
            note = case.intent.allow_cross_document or not tuned(case) or not pack.group.certain
            # Where nothing keeps documents apart, the leak is the fault, and DL322 tells it.
            unparted = pack.isolation in ("none", "defeated")
            spec = case.evidence.loader
            yield self.finding(
                f"the first token is a target in {trained} of {counted(inner, 'document')} that follow another one "
                f"(in {counted(len(bad), 'packed row')})",
                advice="Ignore the label of the first token of each document.",
                level=Level.INFO if note or unparted else self.level,
                where=spec.collate_ref if spec else None,
                samples=samples_of(bad),
                fields=[pack.group.labels],
                trained=trained,
                documents=inner,
                rows=len(bad),
                documents_by=pack.group.documents_by,
            )
