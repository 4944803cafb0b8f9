"""DL303 all-labels-ignored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    BareCause,
    bare_causes,
    by_share,
    causal_rows,
    labels_of,
    paths_of,
    samples_of,
    sure,
)  # fmt: skip
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding, Level, Unjudged

ADVICE: dict[BareCause, str] = {
    "truncated": "Raise the length limit, cut the prompt instead of the answer, or drop rows that do not fit.",
    "template": "Search for the marker by the ids that it has inside a whole conversation, not on its own.",
    "turns": "Count the tokens of each turn with the very template and tokenizer that build the row.",
    "empty": "Leave samples without text out of the dataset.",
    "masked-before": "Look at the labels that the dataset returns for these samples: they are ignored already.",
}


@dataclass(frozen=True)
class AllLabelsIgnored(Check):
    """Rows in which no token is a target of the loss.

    ## Why it hurts
    Such a row teaches nothing, and a batch of them gives a loss of NaN (the mean of nothing) or 0. Four causes
    look alike and need different cures, so the finding says which it is.

    ## What to do
    *Truncated*: the prompt fills the limit and the answer is cut off; the finding has the limit that keeps
    answers. *Template*: the marker that announces the answer is not in the ids; compare it with the nearest
    match. *Turns*: the code that masks counts other turns than the row has, and gives up on the row. *Masked
    before*: the labels came out of the dataset without a target.

    ## When it is wrong
    Rows that are meant to have no loss (a preference model's prompts, say). Name the labels with
    `--field labels=PATH`, and their ignored value with `--ignore-index`.
    """

    rule: ClassVar[str] = "DL303"
    name: ClassVar[str] = "all-labels-ignored"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Sort the rows without a target by cause."""
        labels = labels_of(case)
        rows = causal_rows(labels)
        if not rows:
            yield not_applicable("the batches have no labels of text")
            return
        printed = case.evidence.outcome.printed.lower()
        mismatch = "mismatch" in printed and "token" in printed
        for cause, bad in bare_causes(labels, mismatch_printed=mismatch).items():
            told, facts = _told(labels, cause, bad)
            spec = case.evidence.loader
            collated = cause != "truncated" and all(row.was_trained > 0 for row in bad)
            yield self.finding(
                f"{len(bad)} of {counted(len(rows), 'row')} ({percent(len(bad) / len(rows))}) have no trained "
                f"token: {told}",
                advice=ADVICE[cause],
                level=Level.INFO if cause == "empty" else sure(labels, bad, by_share(bad, rows)),
                where=None if spec is None else spec.collate_ref if collated else spec.dataset_ref,
                samples=samples_of(bad),
                cause=cause,
                fields=paths_of(labels, bad, "labels"),
                rows=len(bad),
                of=len(rows),
                **facts,
            )


def _told(labels: LabelsEvidence, cause: BareCause, bad: Sequence[LabelRow]) -> tuple[str, dict[str, Any]]:
    """Return what a cause looks like in these rows, and its numbers."""
    if cause == "truncated":
        return _of_limit(labels, bad)
    marker = labels.marker
    if cause == "template" and marker is not None:
        told = (
            f"the marker {list(marker.ids)}{_quoted(marker.text)} (from {marker.source}) is not in their ids"
        )
        if marker.nearest:
            told += f"; the nearest is {list(marker.nearest)}{_quoted(marker.nearest_text)}"
        return told, {
            "marker": list(marker.ids), "marker_from": marker.source, "nearest": list(marker.nearest),
            "rows_with_marker": marker.rows_with,
        }  # fmt: skip
    if cause == "empty":
        return "they hold nothing but special tokens and placeholders", {}
    if cause == "turns":
        most = max(max(row.marker, row.turns) for row in bad)
        return (
            f"they hold up to {counted(most, 'turn')}, are not cut, and were given up as a whole",
            {"turns": most},
        )
    before = [row for row in bad if row.was_trained == 0]
    if len(before) == len(bad):
        return "the dataset returns them so", {"ignored_in_sample": len(before)}
    return "they are neither cut nor is a marker known to be missing", {"ignored_in_sample": len(before)}


def _quoted(text: str) -> str:
    return f" {text!r}" if text else ""


def _of_limit(labels: LabelsEvidence, bad: Sequence[LabelRow]) -> tuple[str, dict[str, Any]]:
    limit, trial = labels.limit, labels.trial
    at = f"at {limit} tokens ({labels.limit_from})" if limit else f"at {max(row.real for row in bad)} tokens"
    told = f"all are cut {at} before their answer begins"
    facts: dict[str, Any] = {"limit": limit}
    if trial is not None and trial.first_95:
        told += f"; a limit of {trial.first_95} keeps a target in 95% of the samples"
        if trial.keeps_95 and trial.keeps_99:
            told += f", {trial.keeps_95} whole answers in 95% and {trial.keeps_99} in 99%"
        facts |= {
            "first_target_95": trial.first_95,
            "answers_95": trial.keeps_95,
            "answers_99": trial.keeps_99,
            "samples_read_again": trial.samples,
        }
    return told, facts
