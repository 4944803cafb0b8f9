"""DL502 epoch-rng-repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.repeats import facts_of, origin_named, repeat, unjudged, values_named
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
        measured, spec = case.evidence.randomness, case.evidence.loader
        assert measured is not None
        assert spec is not None
        if reason := unjudged(case):
            yield reason
            return
        found = repeat(measured, "epochs")
        if found is None:
            return
        real = spec.num_workers >= 1 and found.origin != "unknown"
        when = "" if spec.num_workers >= 1 else " if the loader has workers"
        blind = (
            "; another seed in the main process changes nothing"
            if facts_of(found, measured)["seed_blind"]
            else ""
        )
        yield self.finding(
            f"each epoch repeats the random numbers of the one before{when}: {values_named(found)}, "
            f"{origin_named(found, measured)}{blind}",
            advice=_ADVICE[found.origin],
            level=Level.ERROR if real else Level.INFO,
            where=measured.init_ref if found.origin == "init" else spec.dataset_ref,
            samples=measured.indices,
            **facts_of(found, measured),
        )


_ADVICE = {
    "generator": "Make the generator in the worker, on first use, from `torch.initial_seed()`.",
    "init": "Seed from `torch.initial_seed()` in `worker_init_fn`, or remove the function.",
    "reseeded": "Remove the seeding from the dataset; PyTorch seeds each worker and epoch differently.",
    "unknown": "If these are random numbers, seed their library from `torch.initial_seed()` in each worker.",
}
