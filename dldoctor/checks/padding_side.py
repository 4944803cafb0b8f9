"""DL310 padding-side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    displaced_rows,
    excerpt,
    first_shown,
    labels_of,
    paths_of,
    samples_of,
    sure,
)
from dldoctor.checks.wording import counted
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PaddingSide(Check):
    """Prompts for generation are padded behind the text, or a loader pads on both sides.

    ## Why it hurts
    A decoder goes on from the last position, and here that is padding: batched generation gives garbage for
    every row but the longest. Where ids are padded before the text and labels behind it, each label names a
    token that stands elsewhere, and the model learns noise.

    ## What to do
    Pad on the left for generation (`tokenizer.padding_side = "left"`), on the right for training, and all
    fields of a text on the same side.

    ## When it is wrong
    Encoder-decoder models take any side. The use of the loader is declared with `--role`.
    """

    rule: ClassVar[str] = "DL310"
    name: ClassVar[str] = "padding-side"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at which side of the text padding stands."""
        labels = labels_of(case)
        if apart := displaced_rows(labels, by_padding=True):
            yield self._apart(case, apart)
        if case.intent.task in ("seq2seq", "mlm", "classification", "contrastive") or not labels.rows:
            yield not_applicable("only decoders that continue a text depend on the side")
            return
        rows = [row for row in labels.rows if row.real and not labels.groups[row.group].decoder]
        right = [row for row in rows if row.right and not row.left]
        left = [row for row in rows if row.left and not row.right]
        spec = case.evidence.loader
        where = spec.collate_ref if spec else None
        generates = case.intent.role == "generate"
        if right and left and {row.group for row in right} & {row.group for row in left}:
            shown = first_shown(labels, left)
            yield self.finding(
                f"{counted(len(right), 'row')} of {len(rows)} are padded behind the text and {len(left)} before it",
                advice="Pad all rows on one side: left for generation, right for training.",
                level=sure(labels, left, self.level if generates else Level.WARNING),
                where=where,
                samples=samples_of(left),
                fields=paths_of(labels, left),
                right=len(right),
                left=len(left),
                row=excerpt(labels, shown, shown.left, 3, 3),
            )
        elif right and generates:
            shown = first_shown(labels, right)
            yield self.finding(
                f"the last position is padding in {len(right)} of {counted(len(rows), 'row')}, and the loader is "
                "said to feed generation, which goes on from there",
                advice='Pad on the left for generation (`padding_side="left"`).',
                level=sure(labels, right, self.level),
                where=where,
                samples=samples_of(right),
                fields=paths_of(labels, right),
                right=len(right),
                of=len(rows),
                row=excerpt(labels, shown, shown.width - shown.right, 3, 3),
            )

    def _apart(self, case: Case, rows: Sequence[LabelRow]) -> Finding:
        labels, spec = labels_of(case), case.evidence.loader
        shown = first_shown(labels, rows)
        ids, others = ("before", "behind") if rows[0].left else ("behind", "before")
        return self.finding(
            f"ids are padded {ids} the text and labels {others} it in {counted(len(rows), 'row')} of "
            f"{len(labels.rows)}: labels stand up to {counted(max(abs(row.lag) for row in rows), 'position')} from "
            "the tokens that they name",
            advice="Pad the labels on the side on which the ids are padded.",
            level=sure(labels, rows, self.level),
            where=spec.collate_ref if spec else None,
            samples=samples_of(rows),
            fields=[*paths_of(labels, rows), *paths_of(labels, rows, "labels")],
            rows=len(rows),
            row=excerpt(labels, shown, shown.left, 3, 6),
        )
