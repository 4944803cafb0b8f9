"""Edges of DL110 collate-failed on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.collate_failed import CollateFailed
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level, SourceRef

PLACE = SourceRef("data.py", 12, "scores")
ERROR = "ValueError: could not convert string to float: 'n/a'"


def failure(error=ERROR, **more):
    more = {"samples": (16, 17, 18), "where": PLACE} | more
    return Failure("collate", 16, error, error.partition(":")[0], **more)


def judge(*failures, mixed=(), none=(), given="loader", delivered=7, fields=()):
    evidence = Evidence(
        loader=LoaderSpec("map", "DataLoader", "D", given, batch_size=3),
        fields=fields,
        failures=failures,
        samples=SamplesEvidence(24, 0, 24, none=Offenders(len(none), none)),
        batches=BatchesEvidence(delivered, None, True, failed=1, mixed=mixed),
    )
    return list(CollateFailed().judge(Case(evidence)))


def test_names_the_batch_the_sample_the_field_and_the_line():
    """All that one needs to look at it."""
    (found,) = judge(failure(culprit=17, culprit_field="score"))
    assert found.message == (
        f"the collate raised {ERROR} at data.py:12 on 1 of 8 batches; the first was made of samples "
        "16, 17 and 18; it collates without sample 17, which differs in `score`"
    )
    assert (found.level, found.samples, found.where) == (Level.ERROR, (17,), PLACE)
    assert found.facts["batch"] == ["16", "17", "18"]


def test_without_a_culprit_the_whole_batch_is_named():
    """Every sample of the batch may be it."""
    (found,) = judge(failure())
    assert found.samples == (16, 17, 18)
    assert found.advice == "Read these samples by `--ids` and mend the collate at data.py:12."


def test_where_no_batch_came_through_the_collate_is_to_mend():
    """It is not a sample that is at fault."""
    (found,) = judge(failure(), delivered=0)
    assert found.advice == "Mend the collate at data.py:12: no batch came through."


@pytest.mark.parametrize(
    ("what", "path", "error"),
    [
        ("none", "", "TypeError: found <class 'NoneType'>"),
        ("structure", "", "KeyError: 'boxes'"),
        ("shape", "x", "RuntimeError: stack expects each tensor to be equal size"),
        ("mode", "x", "RuntimeError: stack expects each tensor to be equal size"),
    ],
)
def test_a_cause_with_a_rule_of_its_own_is_not_told_twice(what, path, error):
    """The mix explains the exception, by trial or by its words."""
    assert judge(failure(error), mixed=(MixedBatches(what, path, 0, 1),)) == []
    assert judge(failure(), mixed=(MixedBatches(what, path, 0, 1, mended=True),)) == []


@pytest.mark.parametrize(
    "mix",
    [
        MixedBatches("shape", "x", 0, 1, mended=False),
        MixedBatches("shape", "x", 0, 1),
        MixedBatches("shape", "x", 6, 1),
        MixedBatches("shape", "x", 0, 0, refused=True),
    ],
)
def test_a_mix_that_happens_to_be_there_explains_nothing(mix):
    """Neither a trial, nor a culprit, nor the words of the exception tie it to the mix."""
    assert len(judge(failure(), mixed=(mix,))) == 1


def test_none_samples_explain_an_exception_about_none():
    """DL106 speaks, even if no mix was counted because all were None."""
    assert judge(failure("TypeError: 'NoneType' object is not iterable"), none=(16, 17, 18)) == []


def test_an_exception_about_dtypes_is_told_here():
    """It ends the run, which a warning about dtypes would understate."""
    field = FieldEvidence("x", "sample", "Tensor", "int64", dtypes=(Tally("int64", 6), Tally("float32", 18)))
    mix = MixedBatches("dtype", "x", 1, 1, mended=True)
    (found,) = judge(failure("TypeError: input types can't be cast to Long"), mixed=(mix,), fields=(field,))
    assert found.message == (
        "the collate raised TypeError: input types can't be cast to Long at data.py:12 on 1 of 8 batches; the "
        "first was made of samples 16, 17 and 18; `x` has several dtypes (int64 in 6 samples, float32 in 18)"
    )
    assert (found.level, found.advice) == (Level.ERROR, "Cast `x` to one dtype in the dataset.")


def test_a_bare_dataset_is_a_note():
    """The collate that raised was our stand-in."""
    (found,) = judge(failure("TypeError: found <class 'PIL.Image.Image'>"), given="dataset")
    assert found.level is Level.INFO
