"""DL113 on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.tail_batch_of_one import TailBatchOfOne
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent


def judged(role: str | None = None, batches: BatchesEvidence | None = None, **settings) -> list[tuple]:
    given = {
        "kind": "map",
        "given": "loader",
        "dataset_length": 10,
        "batch_size": 3,
        "shuffle": True,
        **settings,
    }
    spec = LoaderSpec(loader_type="DataLoader", dataset_type="Set", **given)
    found = TailBatchOfOne().judge(Case(Evidence(loader=spec, batches=batches), Intent(role=role)))
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message, f.samples)
        for f in found
    ]


def test_a_training_loader_with_a_rest_of_one_is_warned_of() -> None:
    """10 items in batches of 3."""
    message = "10 items in batches of 3 leave a last batch of 1"
    assert judged() == [("warning", message, ())]
    assert judged(role="train", shuffle=False) == [("warning", message, (9,))]


def test_a_loader_in_order_is_a_note_until_its_role_is_known() -> None:
    """Evaluation sees every sample."""
    assert [found[0] for found in judged(shuffle=False)] == ["info"]
    assert [found[0] for found in judged(shuffle=None)] == ["info"]
    assert judged(role="eval") == [("not-applicable", "the loader is declared eval")]


@pytest.mark.parametrize(
    "settings",
    [{"drop_last": True}, {"batch_size": 1}, {"dataset_length": 11}, {"dataset_length": 9}],
    ids=str,
)
def test_no_rest_of_one_is_clean(settings: dict) -> None:
    """Dropped, meant, or another rest."""
    assert judged(**settings) == []


def test_batches_that_are_packed_into_one_row_all_have_one() -> None:
    """The last one is as the others."""
    packed = BatchesEvidence(4, 4, True, sizes=(Tally("1", 4),))
    assert [found[0] for found in judged(batches=packed)] == ["not-applicable"]
    assert [found[0] for found in judged(batches=BatchesEvidence(1, 1, False, sizes=(Tally("1", 1),)))] == [
        "warning"
    ]


def test_the_sampler_decides_how_many_items_there_are() -> None:
    """A subset of 9 leaves nothing; the half of 20 on each of two ranks leaves 1."""
    assert judged(sampler_length=9) == []
    found = judged(dataset_length=20, sampler_length=10, world_size=2)
    assert found == [("warning", "10 items of this rank in batches of 3 leave a last batch of 1", ())]


def test_a_stream_is_judged_by_the_batches_that_came() -> None:
    """Each worker has a rest of its own."""
    stream = {"kind": "iterable", "dataset_length": None, "shuffle": None, "num_workers": 2}
    sizes = (Tally("3", 6), Tally("1", 2))
    found = judged("train", BatchesEvidence(8, None, True, sizes=sizes), **stream)
    assert found == [("warning", "2 workers, in batches of 3, leave 2 last batches of 1", ())]
    cut = judged("train", BatchesEvidence(8, 8, False, sizes=sizes), **stream)
    assert cut == [("insufficient-evidence", "the stream was not read to its end")]


def test_without_a_batch_size_of_the_users_nothing_is_judged() -> None:
    """A bare dataset, or a batch sampler."""
    assert [found[0] for found in judged(given="dataset")] == ["not-applicable"]
    assert [found[0] for found in judged(batch_size=None)] == ["not-applicable"]
