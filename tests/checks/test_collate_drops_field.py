"""Edges of DL111 collate-drops-field on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.collate_drops_field import CollateDropsField
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, DroppedField, MixedBatches
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level


def judge(*dropped, absent=0, default=True, reaches=None, failures=(), mixed=()):
    lacking = Offenders(absent, tuple(range(8, 8 + absent)))
    field = FieldEvidence("boxes", "sample", "Tensor", "float32", 30, lacking, reaches=reaches)
    evidence = Evidence(
        loader=LoaderSpec("map", "DataLoader", "D", "loader", batch_size=8, default_collate=default),
        fields=(field,),
        failures=failures,
        samples=SamplesEvidence(32, 0, 32),
        batches=BatchesEvidence(4, None, True, dropped=dropped, mixed=mixed),
    )
    return list(CollateDropsField().judge(Case(evidence)))


def test_names_the_samples_that_lost_it_and_those_that_lack_it():
    """Both are needed to see why."""
    (found,) = judge(DroppedField("boxes", 2, 2, (9, 10)), absent=2)
    assert found.message == (
        "`boxes` was dropped from 2 of 4 batches although samples 9 and 10 in them had it; "
        "samples 8 and 9 lack it"
    )
    assert (found.level, found.samples) == (Level.ERROR, (9, 10))


def test_a_field_left_out_of_every_batch_by_an_own_collate_is_a_note():
    """Paths and names are left out on purpose, and are told in one finding."""
    (found,) = judge(
        DroppedField("path", 4, 0, (0,), used=False),
        DroppedField("name", 4, 0, (0,), used=False),
        default=False,
    )
    assert (found.level, found.message) == (
        Level.INFO,
        "the collate leaves `path` and `name` out of every batch",
    )


def test_a_field_that_the_batch_depends_on_is_not_dropped_and_an_untried_one_says_so():
    """Joined, renamed, or as tokens; streams cannot be tried."""
    assert judge(DroppedField("chosen", 4, 0, (0,), used=True), default=False) == []
    (found,) = judge(DroppedField("chosen", 4, 0, (0,)), default=False)
    assert found.message == (
        "the collate leaves `chosen` out of every batch; `chosen` may be in it under another name or joined "
        "with others: that could not be tried"
    )


def test_the_own_collate_of_torch_never_leaves_out_on_purpose():
    """A rare key that is never in a first sample is lost each time."""
    (found,) = judge(DroppedField("boxes", 2, 0, (9,)), absent=30)
    assert found.level is Level.ERROR


def test_a_field_that_arrives_under_another_name_is_not_dropped():
    """The batch calls it something else."""
    assert judge(DroppedField("boxes", 4, 0, (0,)), default=False, reaches="targets") == []


def test_where_the_collate_also_raised_for_it_one_rule_speaks():
    """DL107 tells of the exception and of the loss."""
    failure = Failure("collate", 0, "KeyError: 'boxes'", "KeyError", samples=(0, 1))
    mix = MixedBatches("structure", "", 2, 1, mended=True)
    assert judge(DroppedField("boxes", 2, 1, (9,)), absent=2, failures=(failure,), mixed=(mix,)) == []
