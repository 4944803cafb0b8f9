"""DL113 tail-batch-of-one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class TailBatchOfOne(Check):
    """A training loader ends each epoch on a batch of one sample.

    ## Why it hurts
    BatchNorm in training mode raises on a batch of one ("Expected more than 1 value per
    channel"), at the very end of the first epoch; without BatchNorm one sample gets the weight of
    a whole batch.

    ## What to do
    Pass `drop_last=True` to the training loader, or choose a batch size that leaves another rest.

    ## When it is wrong
    For evaluation, where every sample must be seen and BatchNorm does not use the batch: declare
    `--role eval`.
    """

    rule = "DL113"
    name = "tail-batch-of-one"
    level = Level.WARNING
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge from the length and the batch size alone."""
        spec = case.evidence.loader
        assert spec is not None
        if case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
            return
        if not spec.settings_known:
            yield not_applicable("no batch size was given with the bare dataset")
            return
        if spec.batch_size is None or spec.dataset_length is None or spec.kind != "map":
            yield not_applicable("the loader has no fixed batch size over a known number of items")
            return
        if spec.batch_size == 1 or spec.drop_last or spec.dataset_length % spec.batch_size != 1:
            return
        training = case.intent.role == "train" or bool(spec.shuffle)
        rest = "" if training else "; harmless if this loader is for evaluation (declare `--role`)"
        yield self.finding(
            f"{spec.dataset_length} items in batches of {spec.batch_size} leave a last batch of 1{rest}",
            advice="Pass `drop_last=True` to the training loader.",
            level=self.level if training else Level.INFO,
            where=spec.dataset_ref,
            samples=() if spec.shuffle else (spec.dataset_length - 1,),
            length=spec.dataset_length,
            batch_size=spec.batch_size,
            tail=1,
        )
