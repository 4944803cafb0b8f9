"""DL501 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.worker_rng_duplicated import WorkerRngDuplicated
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import Draws, RandomnessEvidence, WorkerDataEvidence
from dldoctor.finding import Level, SourceRef
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Crops", "loader", num_workers=2)
FIELD = Draws("field", "noise", 96, 12, 12, across_workers=True, across_epochs=False, chance=1e-30)
PINNED = replace(FIELD, source="pinned")
KEPT = replace(FIELD, source="generator", path="dataset.rng")
MEASURED = RandomnessEvidence(4, False, 2, 12, (0, 5, 9), persistent=True, start_method="fork")


def judge(
    *draws: Draws, spec: LoaderSpec = SPEC, intent: Intent = Intent(), **changes: object
) -> list[object]:
    evidence = Evidence(loader=spec, randomness=replace(MEASURED, draws=draws, **changes))
    return list(WorkerRngDuplicated().judge(Case(evidence, intent)))


def test_a_copied_generator_is_named_by_its_path() -> None:
    """The message has the counts and the attribute."""
    (found,) = judge(FIELD, PINNED, KEPT)
    assert (found.level, found.samples) == (Level.ERROR, (0, 5, 9))
    assert found.message == (
        "all 4 workers draw the same random numbers: `noise` (12 different values in 96 draws), from"
        " `dataset.rng`, of which each worker has a copy in the same state"
    )


PLACED = replace(
    SPEC,
    dataset_ref=SourceRef("data.py", 1, "Crops"),
    collate_ref=SourceRef("data.py", 40, "Mask"),
    sampler_ref=SourceRef("data.py", 60, "Buckets"),
)


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("dataset.rng", "Crops"),
        ("collate_fn.rng", "Mask"),
        ("collate_fn.__self__.rng", "Mask"),
        ("batch_sampler.rng", "Buckets"),
        ("collate_fn_of.rng", "Crops"),
    ],
)
def test_the_place_is_that_of_what_holds_the_generator(path: str, named: str) -> None:
    """By the path of the object, not always the dataset."""
    (found,) = judge(FIELD, PINNED, replace(KEPT, path=path), spec=PLACED)
    assert found.where.symbol == named


def test_what_repeats_in_batches_only_is_drawn_by_the_collate() -> None:
    """The samples are deterministic; with torch's own collate `batch` is a field of theirs."""
    batch = replace(FIELD, path="batch.noise")
    (found,) = judge(batch, replace(batch, source="pinned"), spec=PLACED)
    assert (found.where.symbol, found.level) == ("Mask", Level.INFO)
    (own,) = judge(batch, replace(batch, source="pinned"), spec=replace(PLACED, default_collate=True))
    assert own.where.symbol == "Crops"


def test_an_init_function_is_named() -> None:
    """Only global generators moved, and they began alike in all workers."""
    still = replace(PINNED, by_call=1, across_workers=False)
    started = Draws("global", "numpy", 8, 1, 1, across_workers=True, across_epochs=True, chance=0.0)
    (found,) = judge(FIELD, still, started, init_fn="data.seed_alike")
    assert found.level is Level.ERROR
    assert "because `data.seed_alike` puts `numpy` into the same state" in found.message


def test_a_dataset_that_seeds_itself_is_named() -> None:
    """No function of the loader's did it."""
    (found,) = judge(FIELD, replace(PINNED, by_call=1))
    assert (found.level, found.facts["origin"]) == (Level.ERROR, "reseeded")


@pytest.mark.parametrize(
    "draws",
    [
        (replace(FIELD, by_call=1),),
        (replace(FIELD, across_workers=False), replace(KEPT, across_workers=False)),
        (replace(FIELD, chance=0.2), replace(KEPT, by_call=1)),
        (),
    ],
    ids=["deterministic", "workers differ", "agreement by chance", "no field"],
)
def test_healthy_draws_are_clean(draws: tuple[Draws, ...]) -> None:
    """Each of them says too little, or the opposite."""
    assert judge(*draws) == []


def test_a_moving_state_without_a_generator_is_info() -> None:
    """It may be a counter."""
    (found,) = judge(FIELD, PINNED)
    assert (found.level, found.facts["origin"]) == (Level.INFO, "unknown")


@pytest.mark.parametrize("workers", [0, 1])
def test_fewer_than_two_workers_draw_nothing_twice(workers: int) -> None:
    """It would happen with more of them."""
    (found,) = judge(FIELD, PINNED, KEPT, spec=replace(SPEC, num_workers=workers))
    assert found.level is Level.INFO
    assert "if the loader has 4 workers" in found.message


def test_eval_and_failed_experiments_are_not_judged() -> None:
    """Each says why."""
    assert judge(FIELD, KEPT, intent=Intent(role="eval")) == [
        not_applicable("what an eval loader draws at random is judged by DL513")
    ]
    assert judge(failed="ValueError: bad") == [
        insufficient("the experiment could not read the items: ValueError: bad")
    ]


STREAM = replace(SPEC, kind="iterable")
DRAWN = Draws("field", "noise", 48, 48, 2, across_workers=False, across_epochs=False, chance=1.0)
MADE = Draws(
    "generator", "Rows.__iter__.<rng>", 8, 1, 2, across_workers=True, across_epochs=True, chance=0.0, made=True,
    fields=("noise",),
)  # fmt: skip


def test_a_stream_that_seeds_its_workers_alike_is_told_by_the_function_that_does() -> None:
    """Its generator was disturbed, and the content of the same samples changed."""
    (found,) = judge(DRAWN, MADE, spec=STREAM, indices=())
    assert found.level is Level.ERROR
    assert found.message == (
        "all 4 workers draw the same random numbers: `noise`, from `Rows.__iter__.<rng>`, made with the same seed in"
        " each worker"
    )


def test_a_shared_order_of_a_stream_is_clean() -> None:
    """A generator that was not shown to make content may be alike in all workers."""
    assert judge(DRAWN, replace(MADE, fields=()), spec=STREAM, indices=()) == []
    assert judge(DRAWN, replace(MADE, across_workers=False), spec=STREAM, indices=()) == []


def test_values_that_depend_on_what_was_read_before_are_told_by_their_own_rule() -> None:
    """DL504 has shown a counter: this is not random."""
    evidence = Evidence(
        loader=SPEC,
        randomness=replace(MEASURED, draws=(FIELD, PINNED)),
        worker_data=WorkerDataEvidence(64, 4, "fork", changed=3, paths={"noise": 3}, by_order=True),
    )
    assert list(WorkerRngDuplicated().judge(Case(evidence, Intent()))) == []
