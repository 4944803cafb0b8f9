"""DL313 truncated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    bare_rows,
    causal_rows,
    excerpt,
    first_shown,
    is_cut,
    labels_of,
    masks_prompt,
    paths_of,
    samples_of,
    sure,
)  # fmt: skip
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding, Level, Unjudged

FEWEST = 8
"""Rows from which on it means something that all are of one length."""
ALIKE = 0.95


@dataclass(frozen=True)
class Truncated(Check):
    """Texts are cut at the length limit.

    ## Why it hurts
    Answers that are cut lose their end, and the model learns to stop in the middle (or not at all). Prompts
    that are cut ask for something else.

    ## What to do
    Set the limit to the length that the finding gives, or leave out what does not fit.

    ## When it is wrong
    Windows of a running text (pretraining) are all of one length and are not judged. Below 1% of the texts
    and 0.1% of the answers it is a note; where no target is left, `all-labels-ignored` tells. Rows that all
    begin with one id, end with none in common and fill one width exactly are a note too: they may be of that
    length by nature, as the codes of an image are.
    """

    rule: ClassVar[str] = "DL313"
    name: ClassVar[str] = "truncated"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    texts: float = 0.01
    """Share of texts that are cut."""
    answers: float = 0.001
    """Share of answers that are cut."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Count rows that are as long as the limit and were longer, or do not end."""
        labels = labels_of(case)
        rows = [row for row in labels.rows if row.real and row.documents == 1]
        if not rows:
            yield not_applicable("the batches hold no rows of one text each")
            return
        cut = _cut(labels, rows)
        trial = labels.trial
        share = trial.cut / trial.samples if trial else len(cut) / len(rows)
        if not cut and not (trial and trial.cut):
            if trial is None and case.intent.task != "pretrain" and _fill_one_width(labels, rows):
                yield self._suspect(case, rows)
            return
        if case.intent.task == "pretrain" or (
            len(cut) == len(rows) and not masks_prompt(labels) and not trial
        ):
            yield not_applicable("all rows are windows of one length")
            return
        yield self._report(case, cut or rows[:0], rows, share)

    def _suspect(self, case: Case, rows: Sequence[LabelRow]) -> Finding:
        labels, spec, width = labels_of(case), case.evidence.loader, rows[0].width
        shown = first_shown(labels, rows)
        return self.finding(
            f"all {len(rows)} rows are exactly {width} tokens long and end with no id in common, as texts do that "
            f"are cut at {width}; right where every text has this length by nature",
            advice="Compare with the texts, and raise the limit if they are longer.",
            level=Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=samples_of(rows),
            fields=paths_of(labels, rows),
            limit=width,
            rows=len(rows),
            tail=excerpt(labels, shown, width - 1, 5, 1),
        )

    def _report(self, case: Case, cut: Sequence[LabelRow], rows: Sequence[LabelRow], share: float) -> Finding:
        labels, trial, spec = labels_of(case), labels_of(case).trial, case.evidence.loader
        trained = [row for row in causal_rows(labels) if row.documents == 1]
        lost = sum(not row.eos_trained for row in cut if labels.vocabulary.eos is not None and row.trained)
        answers = trial.answers_cut / trial.samples if trial else lost / max(1, len(trained))
        told_there = any(is_cut(labels, row) for row in bare_rows(labels)) or 2 * lost > len(rows)
        loud = (share > self.texts or answers > self.answers) and not told_there
        limit = labels.limit or max((row.real for row in cut), default=0)
        keeps = ""
        facts: dict[str, Any] = {}
        if trial is not None:
            keeps = f"; the longest has {trial.longest}"
            if trial.keeps_95 and trial.keeps_99:
                keeps += (
                    f", a limit of {trial.keeps_95} keeps whole answers in 95% and {trial.keeps_99} in 99%"
                )
            facts = {"answers_95": trial.keeps_95, "answers_99": trial.keeps_99, "read_again": trial.samples}
        shown = first_shown(labels, cut) if cut else None
        number = trial.cut if trial else len(cut)
        total = counted(trial.samples if trial else len(rows), "text")
        return self.finding(
            f"{number} of {total} ({percent(share)}) are cut at {limit} tokens"
            f"{f' ({labels.limit_from})' if labels.limit_from else ''}, and {percent(answers)} lose the end of their "
            f"answer{keeps}",
            advice=f"Raise the limit to {trial.keeps_99}, or leave out what does not fit." if trial and trial.keeps_99
            and trial.keeps_99 > limit else "Raise the limit, or leave out what does not fit.",
            level=sure(labels, cut, self.level) if loud else Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=samples_of(cut),
            fields=paths_of(labels, cut),
            limit=limit,
            share=share,
            answers_share=answers,
            tail=excerpt(labels, shown, shown.width - shown.right - 1, 5, 1) if shown else [],
            **facts,
        )  # fmt: skip


def _cut(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> list[LabelRow]:
    """Return rows that were longer, or that stop at the limit without an end where other rows end."""
    known = [row for row in rows if row.source > row.real]
    if known or labels.limit is None:
        return known
    if labels.trial is not None:
        return [row for row in rows if row.real >= labels.limit] if labels.trial.cut else []
    # Text by text: what a translation is made from may lack the end that the translation has.
    return [row for group in {row.group: None for row in rows} for row in _unended(labels, rows, group)]


def _unended(labels: LabelsEvidence, rows: Sequence[LabelRow], group: int) -> list[LabelRow]:
    """Return rows of one text that stop at the limit without an end where its other rows end."""
    mine = [row for row in rows if row.group == group]
    at = [row for row in mine if row.real >= (labels.limit or 0)]
    free = [row for row in mine if row.real < (labels.limit or 0)]
    ending = sum(row.eos_last or row.eos_after > 0 for row in free)
    if labels.vocabulary.eos is None or 2 * ending < len(free) or not free:
        return at if labels.limit_from == "declared" and labels.vocabulary.eos is None else []
    return [row for row in at if not row.eos_last]


def _fill_one_width(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> bool:
    """Whether rows of several batches begin alike, end apart, and all fill one and the same width.

    Windows of a running text begin apart; texts that end by themselves end alike, or differ in length.
    """
    full = all(row.real == row.width == rows[0].width for row in rows)
    if not full or len(rows) < FEWEST or len({row.batch for row in rows}) < 2:
        return False
    if any(row.trained for row in rows) and not masks_prompt(labels):
        return False  # whole texts are learned: windows may begin with a start token each
    begun = Counter(row.first_id for row in rows).most_common(1)[0][1]
    ended = Counter(row.last_id for row in rows).most_common(1)[0][1]
    return begun >= ALIKE * len(rows) and 2 * ended < len(rows)
