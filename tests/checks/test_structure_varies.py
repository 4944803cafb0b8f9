"""Edges of DL107 structure-varies on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.structure_varies import StructureVaries
from dldoctor.evidence import Evidence
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.batches import BatchesEvidence, DroppedField, MixedBatches
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level, SourceRef

KEY_ERROR = Failure(
    "collate", 0, "KeyError: 'boxes'", "KeyError", 3, SourceRef("data.py", 9, "collate"), (0, 1, 2, 3)
)


def case(mix=None, *, failures=(), dropped=(), given="loader", shuffle=True, batch_size=4, **more):
    boxes = FieldEvidence("boxes", "sample", "Tensor", "float32", 28, Offenders(4, (3, 7, 11, 15)))
    return Case(
        Evidence(
            loader=LoaderSpec("map", "DataLoader", "Boxes", given, shuffle=shuffle, batch_size=batch_size),
            fields=(FieldEvidence("image", "sample", "Tensor", "float32", 32), boxes),
            failures=failures,
            samples=SamplesEvidence(32, 0, 32),
            batches=BatchesEvidence(5, 8, True, failed=3, mixed=(mix,) if mix else (), dropped=dropped),
            **more,
        )
    )


def test_names_the_field_the_samples_and_the_line():
    """The message says which key is missing where, and what the collate did."""
    mix = MixedBatches("structure", "", 1, 3, mended=True)
    dropped = (DroppedField("boxes", 1, 4, (29,)),)
    (found,) = StructureVaries().judge(case(mix, failures=(KEY_ERROR,), dropped=dropped))
    assert found.message == (
        "samples differ in structure: `boxes` is in 28 of 32 and missing in samples 3, 7, 11 and 15; "
        "the collate raised KeyError at data.py:9 on 3 batches and dropped it without an error from 1 other"
    )
    assert (found.level, found.samples, found.where) == (Level.ERROR, (3, 7, 11, 15), KEY_ERROR.where)
    assert found.facts["presence"][1] == {
        "field": "boxes",
        "present": 28,
        "absent": 4,
        "null": 0,
        "containers": {},
        "samples": ["3", "7", "11", "15"],
    }


def test_a_collate_that_took_such_batches_is_silent():
    """Optional fields that the collate handles are no fault."""
    assert list(StructureVaries().judge(case(MixedBatches("structure", "", 8, 0)))) == []


def test_level_follows_what_a_refused_test_batch_can_do_to_this_loader():
    """A shuffle will make such a batch; batches of one never do."""
    mix = MixedBatches("structure", "boxes", 0, 0, refused=True)
    levels = [
        next(StructureVaries().judge(case(mix, shuffle=shuffle, batch_size=size))).level
        for shuffle, size in ((True, 4), (None, 4), (False, 4), (True, 1), (True, None))
    ]
    assert levels == [Level.ERROR, Level.RISK, Level.INFO, Level.INFO, Level.INFO]


def test_a_bare_dataset_is_a_note():
    """The collate that raised was our stand-in."""
    mix = MixedBatches("structure", "", 0, 3, mended=True)
    (found,) = StructureVaries().judge(case(mix, failures=(KEY_ERROR,), given="dataset"))
    assert (found.level, found.advice) == (Level.INFO, "Name your own collate with `--collate FILE:NAME`.")


def test_an_exception_that_the_mix_does_not_explain_is_another_rules():
    """The batch still failed when all its samples had the same keys."""
    mix = MixedBatches("structure", "", 0, 3, mended=False)
    assert list(StructureVaries().judge(case(mix, failures=(KEY_ERROR,)))) == []


def test_members_missing_from_archives_are_incomplete_members():
    """DL611 names the cause of a missing field, which is not told twice."""
    mix = MixedBatches("structure", "", 0, 3, mended=True)
    archives = ArchiveEvidence(1, 60, 32, (), (Tally("boxes", 4),), 4)
    assert list(StructureVaries().judge(case(mix, failures=(KEY_ERROR,), archives=archives))) == []


def test_a_field_that_is_none_in_some_samples_is_named():
    """None in a field differs in type, and is no dtype of its own."""
    mask = FieldEvidence("mask", "sample", "Tensor", "uint8", 32, nulls=Offenders(1, (5,)))
    failure = Failure(
        "collate", 4, "TypeError: found <class 'NoneType'>", "TypeError", samples=(4, 5), culprit=5
    )
    evidence = Evidence(
        loader=LoaderSpec("map", "DataLoader", "D", "loader", batch_size=2),
        fields=(mask,),
        failures=(failure,),
        samples=SamplesEvidence(32, 0, 32),
        batches=BatchesEvidence(15, None, True, failed=1, mixed=(MixedBatches("none", "mask", 0, 1),)),
    )
    (found,) = StructureVaries().judge(Case(evidence))
    assert found.message == (
        "samples differ in structure: `mask` is None in sample 5 of 32; the collate raised TypeError on 1 batch"
    )
    assert found.samples == (5,)
