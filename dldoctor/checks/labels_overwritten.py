"""DL311 labels-overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import excerpt, first_shown, labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LabelsOverwritten(Check):
    """The collate rebuilds labels that the dataset had masked, or loses the mask.

    ## Why it hurts
    Masking the prompt has no effect, and nothing says so: a language-modelling collator makes labels from the
    ids again, or a mask of the sample never reaches the batch.

    ## What to do
    Use a collator that pads the labels of the samples (`DataCollatorForSeq2Seq`), or carry the mask along.

    ## When it is wrong
    The samples' labels are compared with the row that they became, position by position; where the collate is
    meant to widen the targets, ignore this rule.
    """

    rule: ClassVar[str] = "DL311"
    name: ClassVar[str] = "labels-overwritten"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the targets of samples with those of their rows."""
        labels = labels_of(case)
        known = [row for row in labels.rows if row.was_trained >= 0]
        spec = case.evidence.loader
        where = spec.collate_ref if spec else None
        bad = [row for row in known if row.lost and not row.lag]
        if bad:
            lost, before = sum(row.lost for row in bad), sum(row.was_trained for row in bad)
            after, shown = sum(row.trained for row in bad), first_shown(labels, bad)
            masks = (
                f"; the sample's `{labels.masks_in_samples[0]}` reaches no batch"
                if labels.masks_in_samples
                else ""
            )
            yield self.finding(
                f"the collate trains {counted(lost, 'position')} that the samples had masked, in {len(bad)} of "
                f"{counted(len(known), 'row')}: targets before {before}, after {after}{masks}",
                advice="Use a collate that pads the labels of the samples and does not make them anew.",
                level=sure(labels, bad, self.level),
                where=where,
                samples=samples_of(bad),
                fields=paths_of(labels, bad, "labels"),
                positions=lost,
                rows=len(bad),
                of=len(known),
                targets_before=before,
                targets_after=after,
                row=excerpt(labels, shown, shown.first, 3, 5),
            )
        if labels.dropped_keys or labels.order_matters:
            yield from self._noted(case)
        if not known and not labels.dropped_keys:
            yield not_applicable("the samples hold no labels that could be compared with the batch")

    def _noted(self, case: Case) -> Iterator[Finding]:
        labels, spec = labels_of(case), case.evidence.loader
        where = spec.collate_ref if spec else None
        if labels.dropped_keys:
            keys = ", ".join(f"`{key}`" for key in labels.dropped_keys[:5])
            yield self.finding(
                f"the collate removes {keys} from the samples that it is given; a dataset that keeps its samples "
                "has lost it when they come again",
                advice="Copy the sample before taking keys out of it (`sample = dict(sample)`).",
                level=Level.INFO,
                where=where,
                keys=list(labels.dropped_keys),
            )
        if labels.order_matters:
            paths = ", ".join(f"`{path}`" for path in labels.order_matters[:5])
            yield self.finding(
                f"{paths} of a batch change when the same samples come in reverse: the collate goes by the first sample",
                advice="Decide keys and types from all samples of the batch, not from the first.",
                level=Level.INFO,
                where=where,
                fields=list(labels.order_matters),
            )
