"""DL513 eval-random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.other_item import mutations
from dldoctor.checks.causes.repeats import measured_by
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import at
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class EvalRandom(Check):
    """A loader declared for evaluation returns other values each time an item is read.

    ## Why it hurts
    The metric moves from epoch to epoch for no reason of the model's, and is mostly too low: the model is
    tested on augmented data. Often `random_split` is behind it: both splits borrow from one dataset
    object, and so share its random transform.

    ## What to do
    Give the eval split a dataset object of its own, with a transform that draws nothing.

    ## When it is wrong
    Test-time augmentation is random on purpose. Of a loader that reads in order and is not declared, it is
    `info`: it may be one for training. Items that change because reading changes the stored
    data are DL116's.
    """

    rule = "DL513"
    name = "eval-random"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "randomness")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by items that were read several times with nothing pinned."""
        measured, spec = measured_by(case)
        declared = case.intent.role in ("eval", "generate")
        # Who trains has it shuffled; a loader that reads in order is likely to be for evaluation.
        if not declared and (case.intent.role is not None or spec.shuffle is not False):
            yield not_applicable(
                "only for a loader that is declared `--role eval` or `--role generate`, or reads in order"
            )
            return
        if not measured.eval_values:
            yield insufficient("no item could be read several times")
            return
        varying = [one for one in measured.eval_values if one.distinct > 1]
        if not varying or mutations(case.evidence):
            return
        paths = list(dict.fromkeys(one.path for one in varying))
        first = varying[0]
        shared = measured.shared_dataset
        borrowed = (
            f"; the split borrows its items from a `{shared}` that another split may augment"
            if shared
            else ""
        )
        who = f"a loader declared {case.intent.role}" if declared else "a loader that is not shuffled"
        rest = "" if declared else "; a fault if it is for evaluation, and as it should be for training"
        advice = "Give the eval split a dataset object of its own, with a transform that draws nothing."
        yield self.finding(
            f"{who} returns other values on each read: {at(first.index)},"
            f" read {first.reads} times, gave {first.distinct} different values of"
            f" {listed([f'`{path}`' for path in paths], shown=3)}{borrowed}{rest}",
            advice=advice if declared else "Declare `--role eval` or `--role train`.",
            level=self.level if declared else Level.INFO,
            where=spec.dataset_ref,
            samples=dict.fromkeys(one.index for one in varying),
            fields=paths,
            reads=first.reads,
            distinct=first.distinct,
            values=list(first.shown),
            shared_dataset=shared,
        )
