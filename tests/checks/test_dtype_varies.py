"""Edges of DL109 dtype-varies on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.dtype_varies import DtypeVaries
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level

MIX = (Tally("float32", 36, (0, 1)), Tally("float64", 4, (4, 14)))


def sample(dtypes=(), containers=(), container="Tensor", **more):
    return FieldEvidence(
        "x", "sample", container, "float32", 40, dtypes=dtypes, containers=containers, **more
    )


def batch(*dtypes):
    return FieldEvidence("x", "batch", "Tensor", dtypes[0].value, 8, dtypes=dtypes)


def judge(*fields, default=True, given="loader", failures=(), mixed=()):
    evidence = Evidence(
        loader=LoaderSpec("map", "DataLoader", "D", given, batch_size=5, default_collate=default),
        fields=fields,
        failures=failures,
        samples=SamplesEvidence(40, 0, 40),
        batches=BatchesEvidence(8, None, True, failed=len(failures), mixed=mixed),
    )
    return list(DtypeVaries().judge(Case(evidence)))


def test_says_that_batches_change_their_dtype():
    """The rare dtype stands first, with its samples."""
    (found,) = judge(sample(MIX), batch(Tally("float32", 6), Tally("float64", 2)), default=False)
    assert found.message == (
        "`x` has 2 dtypes: float64 in 4 samples (4, 14 and 2 more), float32 in 36; "
        "the dtype of a batch changes with its samples (float32 and float64)"
    )
    assert (found.level, found.samples) == (Level.WARNING, (4, 14))


def test_plain_numbers_count_by_their_type():
    """Whole numbers among others make the dtype depend on the first sample."""
    (found,) = judge(
        sample((), (Tally("float", 35), Tally("int", 5, (3,))), "float"), batch(Tally("float64", 8))
    )
    assert (found.level, found.message.partition("; ")[2]) == (
        Level.WARNING,
        "PyTorch's collate lets the samples that meet decide the dtype; the batches of this run came out as float64",
    )


def test_a_collate_that_casts_is_a_note():
    """One dtype in all batches of an own collate is a choice."""
    (found,) = judge(sample(MIX), batch(Tally("float32", 8)), default=False)
    assert found.level is Level.INFO


def test_what_does_not_reach_the_batch_is_a_note():
    """Values kept beside the batch have no dtype that matters."""
    (found,) = judge(sample(MIX), default=False)
    assert found.level is Level.INFO


def test_none_text_and_images_have_no_dtype():
    """Only numbers are compared."""
    none = sample((Tally("float32", 40),), (Tally("float", 36), Tally("None", 4)))
    text = sample((), (Tally("str", 36), Tally("int", 4)), "str")
    image = sample((Tally("uint8", 36), Tally("int32", 4)), container="PIL.Image")
    assert judge(text) + judge(image) + judge(sample((Tally("float32", 40),), (Tally("None", 4),))) == []
    assert len(judge(none)) == 1  # float32 tensors beside plain floats


def test_an_exception_about_it_is_told_by_collate_failed():
    """An exception is an error, which this rule cannot be."""
    failure = Failure(
        "collate", 0, "TypeError: input types can't be cast to Long", "TypeError", samples=(0, 1)
    )
    mix = MixedBatches("dtype", "x", 0, 1, mended=True)
    assert judge(sample(MIX), failures=(failure,), mixed=(mix,)) == []
