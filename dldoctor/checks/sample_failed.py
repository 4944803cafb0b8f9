"""DL105 sample-failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.cannot_travel import cannot_travel
from dldoctor.checks.causes.failed_samples import FailedSamples, failed_for
from dldoctor.checks.causes.shared_state import fails_by_sharing
from dldoctor.checks.wording import at, counted, percent
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Level, StreamPosition, Unjudged


@dataclass(frozen=True)
class SampleFailed(Check):
    """Reading a sample raises an exception.

    ## Why it hurts
    One broken file among a million ends the training when its turn comes, hours into a run and at
    another step each time the order is shuffled. The traceback comes out of a worker and does not
    say which sample it was.

    ## What to do
    Look at the place in the code and at the samples that are named. Repair them, or leave them out
    once, when the list of samples is made:

        self.files = [path for path in files if is_readable(path)]

    Do not swallow the exception and return a neighbour: that hides how much of the data is broken
    (`sample-substituted`).

    ## When it is wrong
    If a dataset raises on purpose and the training loop catches it. Exceptions that only end the
    data are reported by `length-mismatch` and `silent-stop`, those of the collate function by
    `collate-failed`.
    """

    rule = "DL105"
    name = "sample-failed"
    level = Level.ERROR
    by = ("dry-run", "sweep")
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report each kind and place once."""
        for found in failed_for(case.evidence, "raised"):
            if not fails_by_sharing(case.evidence, found.kind):
                yield self._sample(case.evidence, found)
        yield from self._loader(case.evidence)

    def _sample(self, evidence: Evidence, found: FailedSamples) -> Finding:
        spec, samples = evidence.loader, evidence.samples
        assert spec is not None
        read = samples.read + samples.failed if samples and found.in_loader else 0
        share = min(1.0, found.count / read) if read else None
        length = spec.dataset_length
        indices = found.indices
        outside = spec.kind == "map" and length is not None and bool(indices) and min(indices) >= length
        advice = "Repair these samples, or leave them out when the list of samples is made."
        if outside:
            advice = "Let the sampler draw indices below `len(dataset)` only."
        elif share is not None and share >= 0.5:
            advice = "Repair the code at this place: most samples fail there."
        return self.finding(
            f"{_which(found, read, share)} with {found.error}"
            + (f", asked for by the sampler although `len` is {length}" if outside else ""),
            advice=advice,
            where=found.where or spec.dataset_ref,
            samples=found.samples,
            error=found.error,
            kind=found.kind,
            count=found.count,
            read=read,
            share=share,
        )

    def _loader(self, evidence: Evidence) -> Iterator[Finding]:
        """Report what came out of the loader outside dataset and collate (a sampler, say)."""
        spec, outcome = evidence.loader, evidence.outcome
        assert spec is not None
        if outcome.deaths or outcome.hangs or cannot_travel(evidence):
            return  # what the loader raises then is only the echo of it
        for failure in evidence.failures:
            if failure.stage == "loader":
                yield self.finding(
                    f"the loader failed with {failure.error}",
                    advice="Repair the code at this place; the loader cannot go on after it.",
                    where=failure.where or spec.sampler_ref or spec.dataset_ref,
                    samples=failure.samples,
                    error=failure.error,
                    kind=failure.kind,
                    count=failure.count,
                )


def _which(found: FailedSamples, read: int, share: float | None) -> str:
    """Say which samples failed, as the subject of the sentence."""
    first = found.samples[0] if found.samples else None
    if isinstance(first, StreamPosition) and found.count == 1:
        items = counted(first.ordinal, "sample")
        return f"the stream of worker {first.worker} failed after {items}"
    place = "" if first is None else f"{at(first)} failed" if found.count == 1 else f", first {at(first)},"
    if found.count == 1:
        alone = place or "a sample failed"
        return alone if share is None else f"{alone} (1 of {read} samples read)"
    if share is None:
        return f"{counted(found.count, 'read')}{place} failed"
    return f"{found.count} of {read} samples read ({percent(share)}){place} failed"
