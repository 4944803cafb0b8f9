"""Edges of DL112 no-batches on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.no_batches import NoBatches
from dldoctor.evidence import Evidence
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Death, Failure, Hang, OutcomeEvidence, WorkAt
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level, SourceRef, Unjudged

LOOP = Hang("loader", 2.0, 2.0, (), SourceRef("data.py", 30, "__iter__"), moving=True)


def judge(
    batches=None,
    *,
    read=0,
    full_epoch=True,
    kind="map",
    deaths=(),
    hangs=(),
    failures=(),
    archives=None,
    **spec,
):
    evidence = Evidence(
        loader=LoaderSpec(kind, "DataLoader", "D", "loader", **spec),
        samples=SamplesEvidence(read, 0, read, full_epoch=full_epoch),
        batches=batches,
        failures=failures,
        archives=archives,
        outcome=OutcomeEvidence(deaths=deaths, hangs=hangs),
    )
    return list(NoBatches().judge(Case(evidence)))


NOTHING = BatchesEvidence(0, None, True)


@pytest.mark.parametrize(
    ("spec", "read", "fact"),
    [
        ({"dataset_length": 0, "batch_size": 4}, 0, "the dataset has no items"),
        (
            {"dataset_length": 3, "batch_size": 4, "drop_last": True},
            0,
            "3 items do not fill a batch of 4 and `drop_last` is on",
        ),
        (
            {"kind": "iterable", "batch_size": 16, "drop_last": True, "num_workers": 2},
            20,
            "20 samples do not fill a batch of 16 in each of 2 workers and `drop_last` is on",
        ),
        ({"kind": "iterable", "batch_size": 4}, 0, "the dataset yielded no sample"),
        ({"kind": "iterable", "batch_size": 4}, 1, "1 sample was read and none was kept"),
        ({"dataset_length": 9, "batch_size": 4}, 0, "its sampler asked for none of 9 items"),
    ],
)
def test_says_why_an_epoch_held_nothing(spec, read, fact):
    """The settings and what was read tell the reason."""
    (found,) = judge(NOTHING, read=read, **spec)
    assert (found.level, found.message) == (Level.ERROR, f"the loader ended without a batch: {fact}")


def test_an_endless_stream_that_yields_nothing_names_its_line():
    """It was at work all the time; the archives hold other fields than it asks for."""
    archives = ArchiveEvidence(1, 8, 4, (Tally("jpeg", 4), Tally("txt", 4)))
    (found,) = judge(kind="iterable", hangs=(LOOP,), archives=archives)
    assert found.message == (
        "the loader was busy for 2 s and yielded nothing; the archives hold `jpeg` and `txt`"
    )
    assert found.where == LOOP.where


def test_empty_batches_are_counted():
    """One is enough to break a loop."""
    batches = BatchesEvidence(4, None, True, empty=1, dropped_samples=Offenders(8, (8, 9)))
    (found,) = judge(batches, read=32)
    assert (found.message, found.samples) == (
        "1 of 4 batches is empty; the collate left out 8 of 32 samples",
        (8, 9),
    )
    (every,) = judge(BatchesEvidence(4, None, True, empty=4), read=32)
    assert every.message == "every batch is empty"


def test_what_another_rule_explains_is_silent():
    """Deaths, hangs, exceptions and archives that do not group take the batches for their own reason."""
    death = Death(WorkAt(0, 1, "getitem"), "SIGKILL", None, "loader")
    still = Hang("loader", 2.0, 2.0, ())
    failure = Failure("sample", 0, "OSError: no", "OSError")
    archives = ArchiveEvidence(1, 8, 4, (Tally("jpg", 4),), (Tally("txt", 4),), 4)
    assert (
        judge(deaths=(death,))
        + judge(hangs=(still,))
        + judge(hangs=(LOOP,))
        + judge(NOTHING, failures=(failure,))
        + judge(BatchesEvidence(0, None, True, failed=2))
        + judge(BatchesEvidence(0, None, True, spoiled=2))
        + judge(NOTHING, archives=archives)
        + judge(BatchesEvidence(4, None, True), read=16)
    ) == []


@pytest.mark.parametrize("batches", [BatchesEvidence(0, 0, False), BatchesEvidence(0, 9, False), None])
def test_a_run_that_ended_before_the_first_batch_cannot_tell(batches):
    """A limit is no fault of the loader."""
    (unjudged,) = judge(batches)
    assert isinstance(unjudged, Unjudged)
