"""DL307 double-special."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import excerpt, first_shown, labels_of, named, paths_of, samples_of, sure
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class DoubleSpecial(Check):
    """Texts begin with two start tokens, hold one among the targets, or end with two end tokens.

    ## Why it hurts
    A chat template and the tokenizer both add the token. The model meets at training what it never meets when
    it is used, and answers get worse.

    ## What to do
    Tokenise the rendered template without special tokens (`add_special_tokens=False`). Check that the end
    token is still there: sometimes only the tokenizer added it.

    ## When it is wrong
    A start token before each turn, behind an end token, is how some templates are; it is not reported.
    """

    rule: ClassVar[str] = "DL307"
    name: ClassVar[str] = "double-special"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    share: float = 0.01
    """Share of rows from which on it is more than a note."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Count start and end tokens at the ends of rows."""
        labels = labels_of(case)
        words = labels.vocabulary
        rows = [row for row in labels.rows if row.real > 1]
        if words.bos is None and words.eos is None:
            yield not_applicable(
                "neither start nor end token is known; pass `--bos-id`, `--eos-id` or `--tokenizer`"
            )
            return
        starts = [row for row in rows if row.bos_lead > 1]
        inside = [row for row in rows if row.bos_trained and row not in starts]
        # Where padding and the end token are one id, only the sample's own length tells them apart.
        ends = [
            row
            for row in rows
            if row.eos_tail > 1
            and words.sources.get("eos") != "guess"
            and (words.pad != words.eos or row.known in ("sample", "mask"))
        ]
        if starts and words.bos is not None:
            yield self._report(
                case, starts, rows, f"begin with two start tokens {named(labels, words.bos)}", 0
            )
        if inside and words.bos is not None:
            yield self._report(
                case, inside, rows, f"have a start token {named(labels, words.bos)} among the targets", 1
            )
        if ends and words.eos is not None:
            yield self._report(case, ends, rows, f"end with two end tokens {named(labels, words.eos)}", 2)

    def _report(
        self, case: Case, bad: Sequence[LabelRow], rows: Sequence[LabelRow], what: str, kind: int
    ) -> Finding:
        labels, spec = labels_of(case), case.evidence.loader
        texts = {row.group for row in bad}
        whole, rows = rows, [row for row in rows if row.group in texts]
        # Of several texts, those that have the fault are counted and named alone.
        paths = paths_of(labels, bad)
        of = f" of {listed([f'`{path}`' for path in paths])}" if len(rows) < len(whole) else ""
        shown = first_shown(labels, bad)
        at = (shown.left, shown.first, shown.width - shown.right - 1)[kind]
        share = len(bad) / len(rows)
        return self.finding(
            f"{len(bad)} of {counted(len(rows), 'row')}{of} ({percent(share)}) {what}",
            advice="Tokenise the rendered template with `add_special_tokens=False`, and check that the end token stays.",
            level=sure(labels, bad, self.level if share >= self.share else Level.INFO),
            where=spec.dataset_ref if spec else None,
            samples=samples_of(bad),
            fields=paths,
            rows=len(bad),
            of=len(rows),
            ids=excerpt(labels, shown, at, 4, 6),
        )
