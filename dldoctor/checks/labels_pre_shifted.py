"""DL306 labels-pre-shifted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    causal_rows,
    displaced_rows,
    excerpt,
    first_shown,
    group_of,
    labels_of,
    paths_of,
    samples_of,
    sure,
)
from dldoctor.checks.wording import counted
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged

TWICE = 2
ALL = 0.95
"""Share of rows at one distance that leaves no other reading."""


@dataclass(frozen=True)
class LabelsPreShifted(Check):
    """Labels are moved already, and the model moves them again; or they stand elsewhere than their tokens.

    ## Why it hurts
    Each position learns the token after the next. The loss stays high and generated text skips words. Labels
    that were made before a start token was added stand one position off, and teach the wrong token too.

    ## What to do
    Models of the transformers library move labels themselves: give them a copy of the ids. A loop of your own
    that does not move them needs labels that are moved.

    ## When it is wrong
    Declare `--labels-shifted-by data` where the model does not move them. Undeclared, both are possible.
    """

    rule: ClassVar[str] = "DL306"
    name: ClassVar[str] = "labels-pre-shifted"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare labels with ids at the same and at the next position."""
        labels = labels_of(case)
        displaced = displaced_rows(labels, by_padding=False)
        if displaced:
            yield self._displaced(case, displaced)
        rows = [row for row in causal_rows(labels) if row.compared]
        if not rows and not displaced:
            yield not_applicable("no labels stand beside token ids")
        by = case.intent.labels_shifted_by
        moved = [row for row in rows if group_of(labels, row).label_kind == "shifted"]
        spec = case.evidence.loader
        if moved and by != "data":
            total = sum(row.compared for row in moved)
            same = sum(row.same for row in moved) / total
            ahead = sum(row.ahead for row in moved) / max(1, sum(row.followed for row in moved))
            both = "" if by == "model" else (
                "; right for a loop that does not move them, wrong for a model that does (those of transformers)"
            )  # fmt: skip
            shown = first_shown(labels, moved)
            yield self.finding(
                f"labels equal the ids of their own position in {same:.2f} and of the next in {ahead:.2f} of "
                f"{total} targets: they are moved already" + (", and the model moves them again" if by == "model" else both),
                advice="Give the model a copy of the ids as labels." if by == "model"
                else "Declare `--labels-shifted-by model` or `--labels-shifted-by data`.",
                level=sure(labels, moved, self.level) if by == "model" else Level.INFO,
                where=spec.dataset_ref if spec else None,
                samples=samples_of(moved),
                fields=paths_of(labels, moved, "labels"),
                same_position=round(same, 4),
                next_position=round(ahead, 4),
                targets=total,
                row=excerpt(labels, shown, shown.first, 2, 4),
            )  # fmt: skip
        elif by == "data" and not moved:
            still = [
                row for row in rows if group_of(labels, row).label_kind == "same" and row.same == row.compared
            ]
            if still:
                yield self.finding(
                    f"labels equal the ids of their own position in all {counted(len(still), 'row')}, although the "
                    "data is said to move them: each position learns itself",
                    advice="Move the labels by one (`labels = ids[1:]`, `ids = ids[:-1]`).",
                    level=sure(labels, still, self.level),
                    where=spec.dataset_ref if spec else None,
                    samples=samples_of(still),
                    fields=paths_of(labels, still, "labels"),
                    same_position=1.0,
                    next_position=0.0,
                )

    def _displaced(self, case: Case, rows: Sequence[LabelRow]) -> Finding:
        labels, spec = labels_of(case), case.evidence.loader
        shown = first_shown(labels, rows)
        lag, count = Counter(row.lag for row in rows).most_common(1)[0]
        side = "before" if lag > 0 else "behind"
        of_texts = [row for row in labels.rows if row.group in {one.group for one in rows}]
        again = lag == TWICE and count >= ALL * len(of_texts)
        # Tables of one form, of which one is the other moved by two, prove themselves what they are.
        level = sure(labels, rows, self.level)
        level = Level.WARNING if again and level is Level.INFO else level
        return self.finding(
            f"labels stand {counted(abs(lag), 'position')} {side} the tokens that they name in {count} of "
            f"{counted(len(labels.rows), 'row')}"
            + (f", and {counted(len(rows) - count, 'row')} by other distances" if count < len(rows) else "")
            + ("; labels that are moved stand 1 before them: they were moved once too often" if again else ""),
            advice="Move the labels by one position, once (`labels = ids[1:]`, `ids = ids[:-1]`)." if again
            else "Make the labels from the ids themselves, after all special tokens are added.",
            level=level,
            where=spec.dataset_ref if spec else None,
            samples=samples_of(rows),
            fields=paths_of(labels, rows, "labels"),
            distance=lag,
            rows=len(rows),
            row=excerpt(labels, shown, shown.first, 4, 4),
        )  # fmt: skip
