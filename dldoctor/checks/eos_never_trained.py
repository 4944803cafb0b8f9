"""DL302 eos-never-trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.labels import (
    EndCause,
    bare_rows,
    by_share,
    causal_rows,
    counted_by,
    end_cause,
    excerpt,
    first_shown,
    is_cut,
    labels_of,
    named,
    paths_of,
    samples_of,
    sure,
    tuned,
)  # fmt: skip
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, Level, SourceRef, Unjudged

ADVICE: dict[EndCause, str] = {
    "masked": "Build labels from the lengths of the texts, or give padding an id of its own.",
    "absent": "Append the end token to each answer before it is tokenised (or after, to the ids).",
    "truncated": "Raise the length limit, or drop texts that do not fit, so that answers end.",
}


@dataclass(frozen=True)
class EosNeverTrained(Check):
    """The end token is absent, ignored by the labels, or cut away, so that the model never learns to stop.

    ## Why it hurts
    The loss looks fine, and the model talks on until its limit. The usual cause is a pad id that is the end
    token too, with a collate that ignores every pad id in the labels.

    ## What to do
    *Masked*: build labels from lengths, or add a pad token. *Absent*: append the end token to each answer.
    *Truncated*: raise the limit, or leave out what does not fit.

    ## When it is wrong
    Declare `--task pretrain` for texts that have no end. A model whose turns end with another token than its
    tokenizer's end token is recognised where that token is special; otherwise declare it with `--eos-id`.
    An end token that is only guessed, and may be a full stop, judges nothing.
    """

    rule: ClassVar[str] = "DL302"
    name: ClassVar[str] = "eos-never-trained"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    mostly: float = 0.5
    """Share of rows without a trained end from which on cut rows are told here and not by `truncated`."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the end of each row that has a target."""
        labels = labels_of(case)
        rows = [row for row in causal_rows(labels) if row.trained]
        if not rows:
            yield not_applicable("no row has labels of text that are trained")
            return
        if case.intent.task == "pretrain":
            yield not_applicable("the task is pretraining")
            return
        if labels.vocabulary.eos is None:
            yield insufficient("the end token is not known; pass `--eos-id` or `--tokenizer`")
            return
        if labels.vocabulary.sources.get("eos") == "guess":
            yield insufficient(
                f"the end token was guessed from values ({named(labels, labels.vocabulary.eos)}); declare `--eos-id`"
            )
            return
        causes = counted_by(rows, lambda row: end_cause(labels, row))
        missing = sum(len(bad) for bad in causes.values())
        for cause, bad in causes.items():
            if cause != "truncated" or missing > self.mostly * len(rows):
                yield self._report(case, labels, cause, bad, rows)

    def _report(
        self,
        case: Case,
        labels: LabelsEvidence,
        cause: EndCause,
        bad: Sequence[LabelRow],
        rows: Sequence[LabelRow],
    ) -> Finding:
        words = labels.vocabulary
        eos = words.eos if words.eos is not None else -1
        good = sum(bool(row.eos_trained) for row in rows)
        what = {
            "masked": f"have the end token {named(labels, eos)} and ignore it"
            + (f", since it is the pad id too (pad {words.pad} = end {eos})" if words.pad == eos else ""),
            "absent": f"never hold the end token {named(labels, eos)}",
            "truncated": f"are cut at {labels.limit or 'the limit'} before the end token {named(labels, eos)}",
        }[cause]
        meant = cause == "masked" or tuned(case)
        level = by_share(bad, rows) if meant else Level.INFO
        if cause == "truncated" and any(is_cut(labels, row) for row in bare_rows(labels)):
            level = Level.INFO  # rows of which the limit leaves no target at all: DL303 tells
        apart = _texts_apart(labels, bad, rows)
        if apart and level is Level.ERROR and words.sources.get("eos") == "values":
            level = Level.WARNING  # the other text alone tells that it is an end token
        both = "" if meant else "; right for pretraining, and for answers it means that they never stop"
        shown, spec = first_shown(labels, bad), case.evidence.loader
        return self.finding(
            f"{len(bad)} of {counted(len(rows), 'row')} with targets ({percent(len(bad) / len(rows))}) {what}; "
            f"rows with a trained end: {good}{apart}{both}",
            advice=ADVICE[cause],
            level=sure(labels, bad, level),
            where=None if spec is None else _place(spec, cause, bad),
            samples=samples_of(bad),
            cause=cause,
            fields=paths_of(labels, bad, "labels"),
            rows=len(bad),
            of=len(rows),
            trained_ends=good,
            end_id=eos,
            pad_id=words.pad,
            known_from=words.sources.get("eos", ""),
            tail=excerpt(labels, shown, shown.width - shown.right - 1, 6, 2),
        )


def _place(spec: LoaderSpec, cause: EndCause, bad: Sequence[LabelRow]) -> SourceRef | None:
    """Return the dataset or the collate, whichever made rows so."""
    given = any(row.source >= 0 for row in bad)  # else no sample has these tokens: the collate makes them
    if cause == "masked":
        # A first token is a label of the sample and no target of the row: nothing comes before it.
        of_sample = all(0 <= row.was_trained <= row.trained + (row.first == row.left + 1) for row in bad)
    elif cause == "truncated":
        of_sample = given and not all(row.source > row.real for row in bad)
    else:
        of_sample = given
    return spec.dataset_ref if spec.default_collate or of_sample else spec.collate_ref or spec.made_ref


def _texts_apart(labels: LabelsEvidence, bad: Sequence[LabelRow], rows: Sequence[LabelRow]) -> str:
    """Say which texts of a batch lack the end, where others have it: one side of preference pairs."""
    total, lacking = Counter(row.group for row in rows), Counter(row.group for row in bad)
    without = [group for group in total if lacking[group] == total[group]]
    ending = [group for group in total if not lacking[group]]
    if not without or not ending:
        return ""

    def paths(groups: Sequence[int]) -> str:
        return " and ".join(f"`{labels.groups[group].tokens}`" for group in groups)

    return f"; it is all rows of {paths(without)} and none of {paths(ending)}"
