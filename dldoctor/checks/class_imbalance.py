"""DL210 class-imbalance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.labels import class_fields, labels_of
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.labels import ClassLabels
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ClassImbalance(Check):
    """One class fills the batches, or a sampler with weights does not balance them.

    ## Why it hurts
    Where one class is nearly all there is, a model that always answers with it has a low loss and a high
    accuracy, and learns no more. A label that never varies was mostly read from the wrong place.

    ## What to do
    For one value alone: look at where the label comes from. For rare classes: draw them more often
    (`WeightedRandomSampler` with one weight for each *item*, not for each class), or weigh the loss.

    ## When it is wrong
    Rare events are rare: skew without a weighted sampler is `info`, with the counts. In a loader that does
    not shuffle the first batches may hold one class only; that too is `info`.
    """

    rule = "DL210"
    name = "class-imbalance"
    level = Level.WARNING
    by = ("check-labels",)
    needs = ("loader", "labels")

    labels: int = 64
    """Labels below which nothing is judged."""
    share: float = 0.95
    """Share of one class from which on the others are rare."""
    balanced: float = 0.9
    """Share that a sampler with weights leaves to no class, even where it balances by half only."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the labels that reached the batches."""
        fields = [one for one in class_fields(case) if one.kind == "class_label"]
        enough = [one for one in fields if one.elements >= self.labels]
        if not fields:
            yield not_applicable("no field holds class labels")
        elif not enough:
            yield insufficient(f"fewer than {self.labels} labels were read")
        for field in enough:
            yield from self._field(case, field)

    def _field(self, case: Case, field: ClassLabels) -> Iterator[Finding]:
        spec = case.evidence.loader
        assert spec is not None
        (top, most), classes = field.values[0], len(field.values)
        share = most / field.elements
        weighted = spec.sampler_weights is not None
        if classes == 1:
            mixed = spec.shuffle is True or weighted or labels_of(case).batches == spec.loader_length
            end = "" if mixed else ", the first of a loader that does not shuffle"
            what = f"`{field.path}` is {top} in all {counted(field.elements, 'label')} that were read{end}"
            yield self._finding(case, field, what, "Look at where the label of a sample is read.", sure=mixed)
        elif weighted and share >= self.balanced:
            what = (
                f"the sampler draws with weights, and still `{field.path}` is {top} in {percent(share)} of "
                f"{counted(field.elements, 'label')} of {counted(classes, 'class', 'classes')}"
            )
            advice = "Give each item the weight of its class: one divided by the items of that class."
            yield self._finding(case, field, what, advice, sure=True)
        elif share >= self.share:
            what = f"`{field.path}` is {top} in {percent(share)} of {counted(field.elements, 'label')}; a model that always says {top} is right as often"
            yield self._finding(
                case, field, what, "Draw the rare classes more often, or weigh the loss.", sure=False
            )

    def _finding(self, case: Case, field: ClassLabels, what: str, advice: str, *, sure: bool) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            what,
            advice=advice,
            level=self.level if sure else Level.INFO,
            where=spec.dataset_ref,
            field=field.path,
            labels=field.elements,
            counts={str(value): count for value, count in field.values[:20]},
        )
