"""DL118 resume-restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.evidence.workers import ResumeEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ResumeRestarts(Check):
    """After `load_state_dict` the loader starts elsewhere than it stopped.

    ## Why it hurts
    A run that is resumed in the middle of an epoch sees some samples twice and others never. With runs
    that are stopped often, the beginning of the data is learned and its end is not.

    ## What to do
    Return the position (and the state of the sampler's generator) from `state_dict`, and start from it
    in `__iter__` after `load_state_dict`. `torchdata.stateful_dataloader.StatefulDataLoader` does it for
    a dataset and sampler that can tell their state.

    ## When it is wrong
    The state is loaded in a fresh process that was seeded alike. A loader that shuffles with a generator
    which nobody stores is rightly reported.
    """

    rule = "DL118"
    name = "resume-restarts"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "resume")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what came after the state was loaded."""
        measured = case.evidence.resume
        assert measured is not None
        if measured.failed:
            yield insufficient(f"the loader could not be stopped and continued: {measured.failed}")
        elif not measured.expected:
            yield insufficient("the epoch ended before anything could follow")
        elif measured.expected != measured.delivered:
            yield self._elsewhere(case, measured)

    def _elsewhere(self, case: Case, measured: ResumeEvidence) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        restarted = ", the first batch of the epoch again" if measured.from_start else ""
        if measured.by == "ids":
            got = f"samples [{measured.delivered[0]}] come" if measured.delivered else "nothing comes"
            what = f"{got}{restarted}, where [{measured.expected[0]}] should"
        else:
            what = f"another batch comes than without the stop{restarted}"
        return self.finding(
            f"stopped after {measured.stopped_after} batches and continued from its state, the loader goes on"
            f" elsewhere: {what}",
            advice="Store the position in `state_dict`, and start from it after `load_state_dict`.",
            where=spec.dataset_ref if spec.view == "outside" else spec.sampler_ref or spec.dataset_ref,
            stopped_after=measured.stopped_after,
            expected=list(measured.expected),
            delivered=list(measured.delivered),
            from_start=measured.from_start,
        )
