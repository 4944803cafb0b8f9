"""DL305 first-token-untrained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    causal_rows,
    excerpt,
    first_shown,
    labels_of,
    named,
    paths_of,
    samples_of,
    sure,
)
from dldoctor.checks.wording import counted
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class FirstTokenUntrained(Check):
    """The mask begins one position late: the first token of the answer is never a target.

    ## Why it hurts
    The model is never told how to begin an answer. It happens where a mask is made for labels at their own
    position and is then moved with them by one.

    ## What to do
    Start the targets at the length of the prompt; where labels are moved by one, start their mask one
    position before it.

    ## When it is wrong
    Answers that begin with a token which is deliberately not learned. The evidence is the prompt length that
    the sample states, its own mask, or a constant token that always stands just one token before the targets.
    """

    rule: ClassVar[str] = "DL305"
    name: ClassVar[str] = "first-token-untrained"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    rows_needed: int = 16
    """Rows from which on what stands before the targets says where answers begin."""
    constant: float = 0.95
    """Share of rows with one and the same token two before the first target."""
    varied: float = 0.4
    """Share of different tokens among those one before it."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the first target with where the answer begins."""
        labels = labels_of(case)
        rows = [row for row in causal_rows(labels) if row.trained and row.documents == 1]
        if not rows:
            yield not_applicable("no row of one document has trained labels")
            return
        stated = [row for row in rows if row.late >= 0]
        late = [row for row in stated if row.late == 1 and row.lost == 0]
        # Labels of the sample itself state a start only where the collate begins later.
        asked = max(len(stated), sum(row.was_trained > 0 for row in rows))
        if stated and len(late) > 0.5 * asked:
            yield self._report(case, late, f"the sample states that its answer begins one token before the first "
                               f"target (in {len(late)} of {counted(asked, 'row')})")  # fmt: skip
        elif not stated and (token := self._constant_before(rows)) is not None:
            yield self._report(case, rows, f"{named(labels, token)} stands two tokens before the first target in "
                               f"{counted(len(rows), 'row')}, and what comes between differs from row to row: "
                               "it is the first token of the answer")  # fmt: skip

    def _constant_before(self, rows: Sequence[LabelRow]) -> int | None:
        pairs = [row.before for row in rows if len(row.before) == 2 and row.spans == 1]
        if len(pairs) < self.rows_needed:
            return None
        far, near = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
        token, count = far.most_common(1)[0]
        return (
            token if count >= self.constant * len(pairs) and len(near) >= self.varied * len(pairs) else None
        )

    def _report(self, case: Case, rows: Sequence[LabelRow], how: str) -> Finding:
        labels, spec = labels_of(case), case.evidence.loader
        shown = first_shown(labels, rows)
        return self.finding(
            f"the first token of the answer is not trained: {how}",
            advice="Begin the targets at the length of the prompt (one before it where labels are moved by one).",
            level=sure(labels, rows, self.level),
            where=spec.dataset_ref if spec else None,
            samples=samples_of(rows),
            fields=paths_of(labels, rows, "labels"),
            rows=len(rows),
            boundary=excerpt(labels, shown, shown.first, 3, 2),
        )
