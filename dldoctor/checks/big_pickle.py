"""DL707 big-pickle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import level, millis
from dldoctor.checks.phrases import size
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class BigPickle(Check):
    """The dataset is costly to send to each worker.

    ## Why it hurts
    Under `spawn` and `forkserver` the whole dataset object is pickled, sent and rebuilt for every
    worker, one after the other, each time workers start; and every worker then holds a copy of its own.

    ## What to do
    Keep paths and offsets instead of contents; hold large tables in one array, a memory map or Arrow;
    open what is large in the worker, on first use. `persistent_workers=True` pays once.

    ## When it is wrong
    Under `fork` nothing is sent. Python 3.14 starts workers by `forkserver` where nothing else is set.
    """

    rule = "DL707"
    name = "big-pickle"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    seconds: float = 1.0
    """Time to pickle it for one worker, above which it is told."""
    megabytes: float = 100.0
    """Or bytes for one worker."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Name bytes and seconds, by attribute."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if not spec.num_workers or spec.start_method == "fork":
            yield not_applicable(
                "nothing is sent to workers that are forked"
                if spec.num_workers
                else "the loader has no workers"
            )
            return
        sent = profile.trial("pickle")
        if sent is None:
            yield insufficient("the dataset could not be pickled here")
            return
        if sent.now_ns <= self.seconds * 1e9 and sent.now_bytes <= self.megabytes * 1e6:
            return
        largest = sent.parts[0] if sent.parts else None
        most = f", of it `{largest[0]}` {size(largest[1])} and {millis(largest[2])}" if largest else ""
        yield self.finding(
            f"the dataset is {size(sent.now_bytes)} of pickle and takes {millis(sent.now_ns)} to make for one worker, "
            f"{spec.num_workers} times each start{most}",
            advice=f"Do not carry `{largest[0]}` in the dataset: open it in the worker, or keep it in one array."
            if largest
            else "Make the dataset object smaller.",
            level=level(case, self.level),
            where=spec.dataset_ref,
            bytes=sent.now_bytes,
            pickle_ns=sent.now_ns,
            workers=spec.num_workers,
            parts=[{"attribute": name, "bytes": part, "ns": ns} for name, part, ns in sent.parts],
        )
