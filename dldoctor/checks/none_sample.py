"""DL106 none-sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.collate import collate_is_theirs, troubles_of
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import MixedBatches
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NoneSample(Check):
    """A sample is None and the collate function cannot take it.

    ## Why it hurts
    Returning None for a file that cannot be read only moves the error: torch's own collate then
    raises a TypeError about `NoneType`, which names neither the file nor the cause. If every
    sample is None, a `return` is missing.

    ## What to do
    Leave the broken files out when the list of samples is made, or drop whole samples in a collate
    function of your own, so that the fields of the others stay together:

        def collate(batch):
            batch = [sample for sample in batch if sample is not None]
            return default_collate(batch)

    Mind the batch in which no sample is left.

    ## When it is wrong
    A collate that drops None samples as a whole is fine: that is `info`, with the share that is
    lost. For a bare dataset torch's own collate was used; name yours with `--collate`.
    """

    rule = "DL106"
    name = "none-sample"
    level = Level.ERROR
    needs = ("loader", "samples")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what the collate did with batches that held one."""
        samples, spec = case.evidence.samples, case.evidence.loader
        assert samples is not None
        assert spec is not None
        if not samples.none.count:
            return
        failed = _failed_batches(case)
        mix = _mix(case.evidence)
        if failed:
            raised = f"the collate raised on {counted(failed, 'batch', 'batches')} with one"
            yield self._refused(case, raised)
        elif mix is not None and mix.collated:
            yield self._taken(case)
        elif mix is not None and mix.refused is not None:
            refused = "the collate raised on a batch with one that was put together for the test"
            yield self._refused(case, refused) if mix.refused else self._taken(case)
        elif spec.batch_size is None and spec.batch_sampler is None:
            yield self._taken(case)
        elif spec.default_collate and not _all_text(case.evidence):
            # Torch's own collate raises TypeError for None, except beside plain texts.
            yield self._refused(case, "torch's own collate, which was not run on one here, raises TypeError")
        else:
            yield insufficient("the collate function was never given a batch with a None sample")

    def _refused(self, case: Case, how: str) -> Finding:
        theirs = collate_is_theirs(case)
        stand_in = "" if theirs else " (torch's own collate, as none was given with the bare dataset)"
        none = f"{_counted_none(case.evidence)}; {how}{stand_in}"
        return self._none(
            case.evidence,
            none + (", perhaps for a missing `return`" if _all_none(case.evidence) else ""),
            "Leave these samples out when the list of samples is made, or drop them in the collate.",
            Level.ERROR if theirs else Level.WARNING,
        )

    def _taken(self, case: Case) -> Finding:
        batches = case.evidence.batches
        dropped = batches.dropped_samples.count if batches else 0
        how = "the collate leaves them out of their batches" if dropped else "the collate takes them"
        return self._none(
            case.evidence,
            f"{_counted_none(case.evidence)}; {how}",
            "Nothing to repair if so many lost samples are acceptable.",
            Level.INFO,
        )

    def _none(self, evidence: Evidence, message: str, advice: str, level: Level) -> Finding:
        spec, samples, batches = evidence.loader, evidence.samples, evidence.batches
        assert spec is not None
        assert samples is not None
        return self.finding(
            message,
            advice=advice,
            level=level,
            where=spec.dataset_ref,
            samples=samples.none.samples,
            count=samples.none.count,
            read=samples.read,
            share=_share(evidence),
            dropped=batches.dropped_samples.count if batches else 0,
        )


def _failed_batches(case: Case) -> int:
    """Return how many batches the collate raised on because of a None sample."""
    met = max((t.failed for t in troubles_of(case, "none") if t.failure is not None), default=0)
    batches = case.evidence.batches
    return batches.failed if batches and not met and _all_none(case.evidence) else met


def _mix(evidence: Evidence) -> MixedBatches | None:
    mixed = evidence.batches.mixed if evidence.batches else ()
    return next((entry for entry in mixed if entry.what == "none" and not entry.path), None)


def _all_none(evidence: Evidence) -> bool:
    samples = evidence.samples
    return samples is not None and samples.none.count >= samples.read > 1


def _all_text(evidence: Evidence) -> bool:
    fields = evidence.sample_fields
    return bool(fields) and all(field.container in ("str", "bytes") for field in fields)


def _share(evidence: Evidence) -> float:
    samples = evidence.samples
    return samples.none.count / samples.read if samples and samples.read else 0.0


def _counted_none(evidence: Evidence) -> str:
    samples = evidence.samples
    assert samples is not None
    if _all_none(evidence):
        return f"all {samples.read} samples read are None"
    verb = "is" if samples.none.count == 1 else "are"
    return f"{samples.none.count} of {samples.read} samples read ({percent(_share(evidence))}) {verb} None"
