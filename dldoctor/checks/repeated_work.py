"""DL715 repeated-work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.slow_stage import slow_stage
from dldoctor.checks.causes.speed import millis, oversized, reopened, repeated, scattered
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import percent
from dldoctor.evidence.profile import StageShare
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RepeatedWork(Check):
    """Every epoch does the same work again, with the same result.

    ## Why it hurts
    Items that do not depend on random numbers come out equal in every epoch. Decoding, tokenising
    and resizing them once would do.

    ## What to do
    Store the finished items (a tensor file, a memory map, Arrow, WebDataset shards), or keep them in
    memory if they fit: the finding states the bytes. Keep random augmentation after what is cached.

    ## When it is wrong
    A run of a single epoch does nothing twice. Six items were read twice with other random numbers;
    an item that changes for another reason would be missed.
    """

    rule = "DL715"
    name = "repeated-work"
    level = Level.INFO
    by = ("profile",)
    needs = ("loader", "profile")

    least_ms: float = 1.0
    """An item that takes less is not worth a cache."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Tell what a cache would save, and what it would take."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if spec.kind != "map":
            yield not_applicable("a stream has no items that could be asked for twice")
            return
        trial = repeated(case)
        if trial is None or trial.now_ns < self.least_ms * 1e6:
            return
        if oversized(profile) or reopened(profile) or scattered(profile) or slow_stage(case):
            return
        stage = next(
            (one for one in profile.stages if one.stage not in ("collate", "serialise", "unseen")), None
        )
        most = f", most of it {_named(stage)} ({percent(stage.share)})" if stage and stage.share > 0.5 else ""
        saved = (
            (trial.now_ns - trial.then_ns)
            * per_batch(profile.samples, profile.batches)
            / max(1, profile.batch_ns)
        )
        yield self.finding(
            f"items come out equal in every epoch and take {millis(trial.now_ns)} each{most}; keeping all of them takes "
            f"{size(trial.then_bytes)} and saves {percent(min(1.0, saved))} of a batch's time (computed)",
            advice="Store or keep the finished items, and leave random augmentation after them.",
            where=spec.dataset_ref,
            sample_ns=trial.now_ns,
            cached_ns=trial.then_ns,
            cache_bytes=trial.then_bytes,
            sample_bytes=trial.now_bytes,
            saved=min(1.0, saved),
            measured=False,
        )


def _named(stage: StageShare) -> str:
    name = "one part of your code" if stage.stage == "other" else stage.stage
    return f"{name} at {stage.path}:{stage.line}" if stage.path else name


def per_batch(samples: int, batches: int) -> float:
    """Return the samples of a mean batch."""
    return samples / max(1, batches)
