"""DL101 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.length_mismatch import LengthMismatch
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.protocol import ProtocolEvidence, Reading
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level, SourceRef, StreamPosition

MAP = LoaderSpec(
    "map", "DataLoader", "Scenes", "loader", dataset_length=15, loader_length=4, batch_size=4, shuffle=False
)
STREAM = replace(MAP, kind="iterable", dataset_length=8, loader_length=2)
HERE = SourceRef("data.py", 9, "__getitem__")
RANGE = "IndexError: list index out of range"


def cut_at(readable: int | None, length: int = 15, **reading: object) -> ProtocolEvidence:
    first = Reading(readable, "index-error", RANGE, HERE, **reading) if readable is not None else None
    return ProtocolEvidence(length, readable=readable, first_unreadable=first)


def judge(check: object = None, **evidence: object) -> list[object]:
    return list((check or LengthMismatch()).judge(Case(Evidence(**{"loader": MAP, **evidence}))))


def epoch(yielded: int | None) -> SamplesEvidence:
    return SamplesEvidence(read=12, failed=0, distinct=12, yielded=yielded, full_epoch=yielded is not None)


def test_an_index_below_the_length_that_cannot_be_read_is_an_error() -> None:
    """The message names both lengths, the factor and the first index."""
    (found,) = judge(protocol=cut_at(3))
    assert found.message == (
        "`len` says 15 items, but only 3 can be read (15 is 5 times 3): index 3 raises "
        "IndexError: list index out of range, and so does every later index that was tried"
    )
    assert (found.level, found.where, found.samples) == (Level.ERROR, HERE, (3,))
    assert found.facts == {
        "length": 15,
        "readable": 3,
        "first_failing": 3,
        "error": RANGE,
        "seen_failing": 0,
        "share": 0.8,
    }


def test_a_length_that_is_one_too_large_names_the_last_index_only() -> None:
    """Nothing is said about later indices where there are none."""
    (found,) = judge(protocol=cut_at(14))
    assert found.message == (
        "`len` says 15 items, but only 14 can be read: index 14 raises IndexError: list index out of range"
    )


def test_failures_of_the_loader_past_the_end_belong_to_the_same_finding() -> None:
    """One cause gives one finding: `sample-failed` stays silent."""
    failure = Failure("sample", 12, RANGE, "IndexError", 3, HERE, (12, 14, 13))
    evidence = {"protocol": cut_at(12), "failures": (failure,)}
    (found,) = judge(**evidence)
    assert found.samples == (12, 13, 14)
    assert judge(SampleFailed(), **evidence) == []


def test_without_direct_reads_a_failed_tail_of_the_run_is_enough() -> None:
    """The loader saw every index from 12 to the last fail."""
    failure = Failure("sample", 12, RANGE, "IndexError", 3, HERE, (12, 13, 14))
    (found,) = judge(failures=(failure,), samples=SamplesEvidence(12, 3, 12))
    assert (found.facts["readable"], found.facts["error"]) == (12, RANGE)


def test_code_that_raises_index_error_for_every_index_is_no_wrong_length() -> None:
    """It is a failing sample."""
    failure = Failure("sample", 0, RANGE, "IndexError", 15, HERE, tuple(range(15)))
    evidence = {"protocol": cut_at(0, raised_by_user=True), "failures": (failure,)}
    assert judge(**evidence) == []
    assert len(judge(SampleFailed(), **evidence)) == 1


def test_an_empty_list_behind_a_length_is_a_wrong_length() -> None:
    """The list that the index was handed to has no item."""
    (found,) = judge(protocol=cut_at(0))
    assert found.message.startswith("`len` says 15 items, but only 0 can be read: index 0 raises")


def test_a_readable_dataset_is_clean() -> None:
    """All items can be read."""
    assert judge(protocol=cut_at(None)) == []


def test_a_dataset_whose_end_was_not_reached_is_not_judged() -> None:
    """Neither direct reads nor a whole epoch."""
    samples = SamplesEvidence(8, 0, 8)
    assert judge(samples=samples) == [
        insufficient("the last items were not read: the run did not reach them")
    ]


def test_a_replacement_that_runs_over_the_end_is_not_a_wrong_length() -> None:
    """The IndexError came out of a retry with the next index."""
    assert judge(protocol=cut_at(14, retried=True)) == []


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        (12, "`len` says 8 items, one epoch yielded 12, 4 too many"),
        (6, "`len` says 8 items, one epoch yielded 6, 2 too few"),
    ],
)
def test_a_stream_that_yields_another_number_is_an_error(yielded: int, message: str) -> None:
    """Too many and too few alike."""
    (found,) = judge(loader=STREAM, samples=epoch(yielded))
    assert (found.level, found.message) == (Level.ERROR, message)


def test_an_exact_length_of_a_striped_stream_is_clean() -> None:
    """All workers together yield what `len` says."""
    assert judge(loader=replace(STREAM, num_workers=3), samples=epoch(8)) == []


def test_a_stream_repeated_by_each_worker_is_only_info() -> None:
    """Whether the length or the split is wrong is for the check of sharding to say."""
    (found,) = judge(loader=replace(STREAM, num_workers=2), samples=epoch(16))
    assert found.level == Level.INFO
    assert found.message == (
        "`len` says 8 items, one epoch yielded 16, 2 times as many with 2 workers: "
        "each seems to yield the whole stream"
    )


def test_a_stream_is_not_judged_when_cut_short_or_failed() -> None:
    """A part of an epoch says nothing about its length."""
    cut = insufficient("the run ended before the stream did, so its items were not all counted")
    assert judge(loader=STREAM, samples=epoch(None)) == [cut]
    raised = Failure("sample", StreamPosition(0, 5), "ValueError: x", "ValueError")
    broken = insufficient("the stream did not come to its own end: something failed before")
    assert judge(loader=STREAM, samples=epoch(5), failures=(raised,)) == [broken]


def test_a_stream_without_a_length_is_not_applicable() -> None:
    """There is nothing to compare with."""
    reason = "neither the stream nor its loader states a length"
    assert judge(loader=replace(STREAM, dataset_length=None)) == [not_applicable(reason)]


def test_one_part_of_a_distributed_stream_is_clean() -> None:
    """The length of the whole, of which one rank yields its part."""
    assert judge(loader=replace(STREAM, world_size=2), samples=epoch(4)) == []


def test_a_sampler_that_gives_fewer_batches_than_it_states_is_a_warning() -> None:
    """The dataset is whole, but schedules are computed from the number of batches."""
    batches = BatchesEvidence(3, None, full_epoch=True, fewer_than_length=1)
    sampler = SourceRef("data.py", 30, "Buckets")
    spec = replace(MAP, batch_sampler="Buckets", batch_size=None, sampler_ref=sampler)
    (found,) = judge(loader=spec, protocol=cut_at(None), batches=batches)
    assert (found.level, found.where) == (Level.WARNING, sampler)
    assert found.message == "`len` of the loader says 4 batches, one epoch gave 3, 1 too few (25%)"


def test_a_loader_of_another_kind_with_a_wrong_length_is_an_error() -> None:
    """Only its batches can be counted."""
    spec = replace(MAP, kind="batches", dataset_length=None)
    batches = BatchesEvidence(6, None, full_epoch=True, more_than_length=2)
    (found,) = judge(loader=spec, batches=batches)
    assert (found.level, found.facts) == (Level.ERROR, {"promised": 4, "delivered": 6})


def test_batches_that_failed_are_not_missing() -> None:
    """A batch that was not collated is counted by its own rule."""
    batches = BatchesEvidence(3, None, full_epoch=True, fewer_than_length=1, failed=1)
    assert judge(protocol=cut_at(None), batches=batches) == []
