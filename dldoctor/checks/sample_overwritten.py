"""DL119 sample-overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed
from dldoctor.evidence.samples import OverwrittenField
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SampleOverwritten(Check):
    """A sample changes when the next one is read, because both are the same buffer.

    ## Why it hurts
    A decoder that fills one array again and again gives every sample of a batch the values of the last
    one, each under its own label. Shapes, ranges and the look of a single sample are all in order, and
    a batch of one sample shows nothing.

    ## What to do
    Return a copy (`.copy()` of an array, `.clone()` of a tensor), or make the array in `__getitem__`.
    For a ring of buffers: let it be longer than a batch, times the batches that are read ahead.

    ## When it is wrong
    The samples of the first batch of each process are looked at twice: when they are read, and just
    before they are collated. A field that changes on purpose (a running statistic that is handed out by
    reference) reaches the batch as it was last, for all samples alike.
    """

    rule = "DL119"
    name = "sample-overwritten"
    level = Level.ERROR
    needs = ("loader", "samples")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the fields that were other values when their batch was made."""
        samples = case.evidence.samples
        assert samples is not None
        twice = [one for one in samples.overwritten if one.compared > 1]
        changed = [one for one in twice if one.changed.count]
        if changed:
            yield self._changed(case, changed)
        elif not samples.overwritten:
            yield not_applicable("no field of a sample is an array, or no samples wait for their batch")
        elif not twice:
            yield insufficient("no batch of two samples was read")

    def _changed(self, case: Case, changed: list[OverwrittenField]) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        worst = max(changed, key=lambda one: one.changed.count)
        left = "1 was left" if worst.contents_left == 1 else f"{worst.contents_left} were left"
        return self.finding(
            f"{listed([f'`{one.path}`' for one in changed], shown=3)} of samples that were read changed while others were "
            f"read: of {worst.contents} different contents in {worst.compared} samples {left} when they were collated",
            advice="Return a copy of the buffer (`.copy()`, `.clone()`), or make a new one for each sample.",
            where=spec.dataset_ref,
            samples=worst.changed.samples,
            fields=[one.path for one in changed],
            compared=worst.compared,
            changed=worst.changed.count,
            contents=worst.contents,
            contents_left=worst.contents_left,
        )
