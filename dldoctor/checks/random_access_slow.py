"""DL714 random-access-slow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import level, millis, scattered
from dldoctor.checks.wording import figure
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class RandomAccessSlow(Check):
    """Reading items in random order costs far more than reading them in a row.

    ## Why it hurts
    A shuffled loader reads at random. Storage that is made for reading on (a compressed archive, a
    chunked array, shards of many samples, a spinning disk, an object store) then reads and unpacks a
    large piece for each sample and throws it away.

    ## What to do
    Shuffle pieces, and within a piece: shards in random order and a buffer of samples. Or store so
    that one sample is one piece: smaller chunks, no compression across samples, one file a sample.

    ## When it is wrong
    What was read before may come from a cache of this machine; items of both kinds are read once in
    the comparison, but their neighbours may have been read by it.
    """

    rule = "DL714"
    name = "random-access-slow"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    times: float = 3.0
    """How much slower random order must be."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare items per second both ways."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if spec.kind != "map" or not spec.shuffle:
            yield not_applicable("this loader does not read in random order")
            return
        trial = profile.trial("sequential")
        if trial is None:
            yield insufficient("there were too few items, or no time, to read them both ways")
            return
        if scattered(profile, self.times) is None:
            return
        yield self.finding(
            f"in random order an item takes {millis(trial.now_ns)}, in a row {millis(trial.then_ns)}: "
            f"{figure(trial.ratio)} times as long ({figure(trial.low)} to {figure(trial.high)})",
            advice="Shuffle pieces and a buffer of samples, or store each sample so that it can be read alone.",
            level=level(case, self.level),
            where=spec.dataset_ref,
            random_ns=trial.now_ns,
            sequential_ns=trial.then_ns,
            ratio=trial.ratio,
            low=trial.low,
            high=trial.high,
        )
