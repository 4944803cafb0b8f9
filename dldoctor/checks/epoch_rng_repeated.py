"""DL502 epoch-rng-repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.repeats import (
    ADVICE,
    Repeat,
    facts_of,
    judged,
    measured_by,
    origin_named,
    place_of,
    values_named,
)
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class EpochRngRepeated(Check):
    """Each epoch repeats the random numbers of the one before.

    ## Why it hurts
    The model sees the same augmented images again and again: random augmentation has become a
    fixed, slightly larger dataset, and training overfits to it.

    ## What to do
    Workers are started anew for each epoch, and each gets the same copy of what the main process holds.
    So make private generators in the worker from `torch.initial_seed()`, which PyTorch changes with each
    epoch. The recipe `numpy.random.get_state()[1][0] + worker_id` no longer works: that word is the
    constant 2147483648 in every worker, epoch and run.

    ## When it is wrong
    An epoch that is told by `set_epoch` is told before each of the two epochs that are compared. Declare
    `--role eval` where repeating is what you want.
    """

    rule = "DL502"
    name = "epoch-rng-repeated"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "randomness")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by what agreed between two epochs although it varied with the reads."""
        measured, spec = measured_by(case)
        found = judged(case, "epochs")
        if not isinstance(found, Repeat):
            yield from () if found is None else (found,)
            return
        # A stream that seeds its own generator does so in the main process too.
        anyhow = not measured.indices and found.origin in ("made", "reseeded")
        in_force = spec.num_workers >= 1 or anyhow
        real = in_force and found.origin != "unknown"
        when = "" if in_force else " if the loader has workers"
        blind = (
            "; another seed in the main process changes nothing"
            if facts_of(found, measured)["seed_blind"]
            else ""
        )
        yield self.finding(
            f"each epoch repeats the random numbers of the one before{when}: {values_named(found)}, "
            f"{origin_named(found, measured)}{blind}",
            advice=ADVICE[found.origin],
            level=Level.ERROR if real else Level.INFO,
            where=place_of(found, measured, spec),
            samples=measured.indices,
            **facts_of(found, measured),
        )
