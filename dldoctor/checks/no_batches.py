"""DL112 no-batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.archives import lost_keys
from dldoctor.checks.causes.endless import spinning
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, figure
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.finding import Finding, Level, SampleId, SourceRef, Unjudged


@dataclass(frozen=True)
class NoBatches(Check):
    """The loader yields nothing, or batches without a row.

    ## Why it hurts
    A training loop over an empty loader ends each epoch at once, without an error, and saves a
    model that has learned nothing. A filter that matches nothing inside an endless stream (a
    misspelt key, a wrong extension) loops for ever at full load. A single empty batch, left over
    when every sample of a batch was filtered away, raises in the loop or makes a loss of NaN.

    ## What to do
    Look at the path or pattern that lists the data, at the filter (the key it asks for against the
    keys that are there), and at `drop_last` against the number of items per worker. Let the
    collate of an all-filtered batch raise, or draw another sample.

    ## When it is wrong
    Where a loader is meant to be empty (a split that has no data yet).
    """

    rule = "DL112"
    name = "no-batches"
    level = Level.ERROR

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge an endless loop, an epoch of nothing, and empty batches."""
        loop = spinning(case)
        batches, outcome = case.evidence.batches, case.evidence.outcome
        if loop is not None:
            yield self._found(
                case,
                f"the loader was busy for {figure(loop.waited_s)} s and yielded nothing"
                f"{_kept(loop.samples_read)}{_members(case)}",
                "Compare what the filter asks for with what the samples hold, and end the loop after one pass.",
                where=loop.where,
            )
            return
        if outcome.deaths or outcome.hangs:
            return  # DL508 and DL509 tell why there is nothing
        if batches is None:
            yield insufficient("no batch was asked for")
        elif batches.delivered == 0:
            yield from self._nothing(case, batches)
        elif batches.empty:
            yield self._empty(case, batches)

    def _nothing(self, case: Case, batches: BatchesEvidence) -> Iterator[Finding | Unjudged]:
        samples = case.evidence.samples
        if batches.failed or batches.spoiled or case.evidence.failures:
            return  # an exception took them, and its own rule says so
        archives = case.evidence.archives
        if archives is not None and archives.keys and lost_keys(case) == archives.keys:
            return  # the members do not group: DL611
        if batches.planned == 0 or not batches.full_epoch:
            yield insufficient("the run ended before the first batch")
            return
        read = samples.read if samples else 0
        fact, advice = _why(case, read)
        yield self._found(case, f"the loader ended without a batch: {fact}{_members(case)}", advice)

    def _empty(self, case: Case, batches: BatchesEvidence) -> Finding:
        samples = case.evidence.samples
        left_out = batches.dropped_samples
        read = samples.read if samples else 0
        why = (
            f"; the collate left out {left_out.count} of {counted(read, 'sample')}" if left_out.count else ""
        )
        total = counted(batches.delivered, "batch", "batches")
        every = batches.empty >= batches.delivered
        which = "every batch is" if every else f"{batches.empty} of {total} {_are(batches.empty)}"
        return self._found(
            case,
            f"{which} empty{why}",
            "Compare what the filter asks for with what the samples hold."
            if every
            else "Draw another sample where a batch would be left without one.",
            where=case.evidence.loader.collate_ref if case.evidence.loader else None,
            samples=left_out.samples,
        )

    def _found(
        self,
        case: Case,
        message: str,
        advice: str,
        *,
        where: SourceRef | None = None,
        samples: tuple[SampleId, ...] = (),
    ) -> Finding:
        spec, batches = case.evidence.loader, case.evidence.batches
        archives = case.evidence.archives
        return self.finding(
            message,
            advice=advice,
            where=where or (spec.dataset_ref if spec else None),
            samples=samples,
            samples_read=case.evidence.samples.read if case.evidence.samples else 0,
            batches=batches.delivered if batches else 0,
            empty=batches.empty if batches else 0,
            length=spec.dataset_length if spec else None,
            batch_size=spec.batch_size if spec else None,
            drop_last=spec.drop_last if spec else None,
            member_fields=[one.value for one in archives.fields] if archives else [],
        )


def _why(case: Case, read: int) -> tuple[str, str]:
    """Return the fact behind an epoch of nothing, and the step that mends it."""
    spec = case.evidence.loader
    if spec is not None and spec.dataset_length == 0:
        return "the dataset has no items", "Check the path or pattern that the dataset lists its items from."
    if spec is not None and spec.drop_last and spec.batch_size:
        size = spec.batch_size
        if spec.kind == "map" and spec.dataset_length is not None and spec.dataset_length < size:
            items = counted(spec.dataset_length, "item")
            return f"{items} do not fill a batch of {size} and `drop_last` is on", _smaller(size)
        if spec.kind == "iterable" and read:
            workers = f" in each of {spec.num_workers} workers" if spec.num_workers > 1 else ""
            items = counted(read, "sample")
            return f"{items} do not fill a batch of {size}{workers} and `drop_last` is on", _smaller(size)
    if read:
        return (
            f"{counted(read, 'sample')} {_were(read)} read and none was kept",
            "Compare what the filter asks for with what the samples hold.",
        )
    if spec is not None and spec.kind == "map" and spec.dataset_length:
        return (
            f"its sampler asked for none of {counted(spec.dataset_length, 'item')}",
            "Check the number of indices that the sampler yields.",
        )
    return "the dataset yielded no sample", "Compare what the filter asks for with what the data holds."


def _smaller(size: int) -> str:
    return f"Pass `drop_last=False`, or a batch size below {size}."


def _kept(read: int) -> str:
    return f" ({counted(read, 'sample')} read, 0 batches kept)" if read else ""


def _members(case: Case) -> str:
    """Return which fields the archives hold: what a filter asks for is often spelt otherwise."""
    archives = case.evidence.archives
    if archives is None or not archives.fields:
        return ""
    return f"; the archives hold {listed([f'`{one.value}`' for one in archives.fields])}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
