"""DL108 shape-varies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.collate import (
    Trouble,
    collate_is_theirs,
    field_of,
    level_of,
    troubles_of,
)
from dldoctor.checks.causes.shapes import chance_of_mix
from dldoctor.checks.phrases import OTHERS, histogram, place, rarest_first, tally_facts
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.distribution import Tally
from dldoctor.finding import Finding, Level, SampleId, Unjudged


@dataclass(frozen=True)
class ShapeVaries(Check):
    """A field that is stacked into one tensor comes in several shapes.

    ## Why it hurts
    The first batch that holds two shapes raises ("stack expects each tensor to be equal size",
    "Trying to resize storage that is not resizable"), from inside a worker and at a step that the
    shuffle decides. One odd sample in a thousand can end a run after hours.

    ## What to do
    Resize, crop or pad to one size in the dataset. If the sizes are meant to differ (texts, boxes,
    detection), give the loader a `collate_fn` that pads to the longest of the batch or keeps a
    list, or a batch sampler that puts equal sizes together.

    ## When it is wrong
    It only speaks where the collate refuses such a batch. A collate that pads, or keeps a list,
    is not reported, nor are images that differ in channels only (`DL216`). With a batch size of 1,
    with a batch sampler of your own, or for a bare dataset whose collate is not known, it is a note.
    """

    rule = "DL108"
    name = "shape-varies"
    level = Level.ERROR
    needs = ("samples", "batches")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each field whose mix of shapes the collate could not take."""
        for trouble in troubles_of(case, "shape"):
            field = field_of(case, trouble)
            shapes = field.shapes if field else ()
            chance = self._chance(case, shapes)
            failure = trouble.failure
            name = f"`{trouble.path}`" if trouble.path else "the samples"
            number = field.shape_count if field else len(shapes)
            yield self.finding(
                f"{name} has {counted(number, 'shape')}: {histogram(shapes)}; {_consequence(case, trouble, chance)}",
                advice=_advice(case, trouble),
                level=level_of(case, trouble),
                where=failure.where if failure else None,
                samples=_odd_samples(trouble, shapes),
                field=trouble.path,
                shapes=tally_facts(shapes),
                shape_count=number,
                chance=chance,
                error=failure.error if failure else None,
                batches_failed=trouble.failed,
            )

    def _chance(self, case: Case, shapes: tuple[Tally, ...]) -> float | None:
        spec = case.evidence.loader
        if spec is None or spec.batch_size is None or not spec.settings_known or not shapes:
            return None
        return chance_of_mix(shapes, spec.batch_size)


def _odd_samples(trouble: Trouble, shapes: tuple[Tally, ...]) -> tuple[SampleId, ...]:
    """Return the samples of all shapes but the commonest, rarest first."""
    if trouble.failure is not None and trouble.failure.culprit is not None:
        return (trouble.failure.culprit,)
    kept = [tally for tally in rarest_first(shapes) if tally.value != OTHERS]
    return tuple(one for tally in kept[:-1] for one in tally.examples)


def _consequence(case: Case, trouble: Trouble, chance: float | None) -> str:
    spec, failure = case.evidence.loader, trouble.failure
    size = spec.batch_size if spec else None
    whose = "the collate" if collate_is_theirs(case) else "PyTorch's own collate"
    odds = f"; a shuffled batch of {size} mixes them with a chance of {percent(chance)}" if chance else ""
    if failure is not None:
        number = counted(max(trouble.failed, failure.count), "batch", "batches")
        return f"{whose} raised {failure.kind}{place(failure.where)} on {number}{odds}"
    if size == 1:
        return f"a batch size of 1 hides it, {whose} cannot stack them in a larger batch"
    if size is None:
        return f"the batch sampler put equal shapes together, {whose} cannot stack different ones"
    return f"{whose} cannot stack them, though no batch of this run held both{odds}"


def _advice(case: Case, trouble: Trouble) -> str:
    if not collate_is_theirs(case):
        return "Name your own collate with `--collate FILE:NAME`."
    name = f"`{trouble.path}`" if trouble.path else "samples"
    return f"Bring {name} to one size in the dataset, or pass a `collate_fn` that pads or keeps a list."
