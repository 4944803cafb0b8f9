"""DL502 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.epoch_rng_repeated import EpochRngRepeated
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import Draws, RandomnessEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Crops", "loader", num_workers=1)
FIELD = Draws("field", "noise", 96, 48, 12, across_workers=False, across_epochs=True, chance=1e-30)
STILL = replace(FIELD, source="pinned", by_call=1)
STARTED = Draws(
    "global", "numpy", 8, 4, 1, across_workers=False, across_epochs=True, chance=0.0, seed_blind=True
)
MEASURED = RandomnessEvidence(
    4, False, 2, 12, (0,), persistent=False, start_method="fork", init_fn="data.first_word"
)


def judge(*draws: Draws, spec: LoaderSpec = SPEC) -> list[object]:
    return list(
        EpochRngRepeated().judge(Case(Evidence(loader=spec, randomness=replace(MEASURED, draws=draws))))
    )


def test_an_init_function_that_is_blind_to_epoch_and_seed_is_an_error() -> None:
    """One worker is enough for that."""
    (found,) = judge(FIELD, STILL, STARTED)
    assert found.level is Level.ERROR
    assert found.message == (
        "each epoch repeats the random numbers of the one before: `noise` (48 different values in 96 draws),"
        " because `data.first_word` puts `numpy` into the same state; another seed in the main process changes"
        " nothing"
    )


def test_epochs_that_differ_are_clean() -> None:
    """Whatever the workers do."""
    assert judge(replace(FIELD, across_epochs=False, across_workers=True), STILL) == []


def test_without_workers_it_is_info() -> None:
    """The generator goes on in the main process."""
    (found,) = judge(FIELD, STILL, STARTED, spec=replace(SPEC, num_workers=0))
    assert found.level is Level.INFO
