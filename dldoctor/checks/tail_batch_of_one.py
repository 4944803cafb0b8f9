"""DL113 tail-batch-of-one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted
from dldoctor.evidence.coverage import CoverageEvidence
from dldoctor.finding import Finding, Level, SampleId, Unjudged


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
    by = ("dry-run", "check-sharding")
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge from the number of items and the batch size; for a stream or several ranks from what came."""
        spec = case.evidence.loader
        assert spec is not None
        if case.intent.role in ("eval", "generate"):
            yield not_applicable(f"the loader is declared {case.intent.role}")
            return
        if not spec.settings_known:
            yield not_applicable("no batch size was given with the bare dataset")
            return
        if spec.batch_size is None or spec.kind == "batches":
            yield not_applicable("the loader has no fixed batch size")
            return
        if spec.batch_size == 1 or spec.drop_last:
            return
        if _packed(case):
            yield not_applicable("the collate packs each batch into one row, the last one too")
            return
        coverage = case.evidence.coverage
        if coverage is not None and (coverage.world_size > 1 or spec.kind == "iterable"):
            yield from self._of_ranks(case, coverage)
            return
        yield from self._of_stream(case) if spec.kind == "iterable" else self._of_map(case, spec.batch_size)

    def _of_ranks(self, case: Case, coverage: CoverageEvidence) -> Iterator[Finding | Unjudged]:
        """Judge each rank, and in a stream each worker, by the batch that it ended on."""
        spec = case.evidence.loader
        assert spec is not None
        ended = [(one.rank, epoch) for one in coverage.ranks for epoch in one.epochs[:1] if epoch.complete]
        if not ended:
            yield insufficient("no rank came to the end of an epoch")
            return
        if spec.kind == "iterable":
            tails = [
                f"rank {rank} worker {own.worker}"
                for rank, epoch in ended
                for own in epoch.workers
                if own.tail == 1
            ]
        else:
            tails = [f"rank {rank}" for rank, epoch in ended if epoch.tail == 1]
        if not tails:
            return
        training = case.intent.role == "train" or bool(spec.shuffle)
        where = listed(tails) if coverage.world_size > 1 else listed([one.split(" ", 2)[2] for one in tails])
        yield self._report(
            case, f"{where}, in batches of {spec.batch_size}, {'leave' if len(tails) > 1 else 'leaves'}",
            training, len(tails), batch_size=spec.batch_size, tail=1, at=tails,
        )  # fmt: skip

    def _of_map(self, case: Case, batch_size: int) -> Iterator[Finding | Unjudged]:
        spec = case.evidence.loader
        assert spec is not None
        # The sampler decides how many items an epoch has: a subset, or the share of one rank.
        items = spec.dataset_length if spec.sampler_length is None else spec.sampler_length
        if items is None:
            yield not_applicable("the number of items is not known")
            return
        if items % batch_size != 1:
            return
        training = case.intent.role == "train" or bool(spec.shuffle)
        rank = " of this rank" if spec.world_size > 1 else ""
        last = spec.shuffle is False and items == spec.dataset_length
        yield self._report(
            case, f"{counted(items, 'item')}{rank} in batches of {batch_size} {'leave' if items > 1 else 'leaves'}", training,
            samples=(items - 1,) if last else (), length=items, batch_size=batch_size, tail=1,
        )  # fmt: skip

    def _of_stream(self, case: Case) -> Iterator[Finding | Unjudged]:
        spec, batches = case.evidence.loader, case.evidence.batches
        assert spec is not None
        if batches is None or not batches.full_epoch:
            yield insufficient("the stream was not read to its end")
            return
        tails = sum(tally.count for tally in batches.sizes if tally.value == "1")
        if not tails:
            return
        who = f"{spec.num_workers} workers" if spec.num_workers > 1 else "the stream"
        yield self._report(
            case, f"{who}, in batches of {spec.batch_size}, {'leave' if spec.num_workers > 1 else 'leaves'}",
            case.intent.role == "train", tails, batch_size=spec.batch_size, tail=1,
        )  # fmt: skip

    def _report(
        self,
        case: Case,
        start: str,
        training: bool,
        tails: int = 1,
        samples: tuple[SampleId, ...] = (),
        **facts: Any,
    ) -> Finding:
        spec = case.evidence.loader
        rest = "" if training else "; harmless if this loader is for evaluation (declare `--role`)"
        what = "a last batch of 1" if tails == 1 else f"{tails} last batches of 1"
        return self.finding(
            f"{start} {what}{rest}",
            advice="Pass `drop_last=True` to the training loader.",
            level=self.level if training else Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=samples,
            **facts,
        )


def _packed(case: Case) -> bool:
    """Whether batches of several samples have one row each."""
    batches = case.evidence.batches
    return batches is not None and batches.delivered > 1 and {one.value for one in batches.sizes} == {"1"}
