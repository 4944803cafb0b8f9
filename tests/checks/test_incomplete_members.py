"""Edges of DL611 incomplete-members on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.incomplete_members import IncompleteMembers
from dldoctor.evidence import Evidence
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level

PLAIN = (Tally("jpg", 24), Tally("txt", 24))


def judge(fields=PLAIN, *, read=24, full_epoch=True, kind="iterable", **more):
    evidence = Evidence(
        loader=LoaderSpec(kind, "DataLoader", "D", "loader"),
        samples=SamplesEvidence(read, 0, read, full_epoch=full_epoch),
        archives=ArchiveEvidence(1, 48, 24, fields, **more),
    )
    return list(IncompleteMembers().judge(Case(evidence)))


def test_a_dot_in_a_name_is_named_as_the_cause():
    """The longer field stands where the short one is expected."""
    fields = (Tally("jpg", 18), Tally("txt", 24), Tally("v2.jpg", 6))
    (found,) = judge(
        fields,
        read=18,
        incomplete=(Tally("jpg", 6, ("s.tar:a0",)),),
        incomplete_keys=6,
        dotted=("a0.v2.jpg",),
    )
    assert found.message == (
        "6 of 24 samples in the archives lack a field (`jpg` in 6); `v2.jpg` stands where `jpg` is expected; "
        "6 samples never came out of the dataset"
    )
    assert (found.level, found.facts["keys"], found.facts["dotted"]) == (
        Level.ERROR,
        ["s.tar:a0"],
        ["a0.v2.jpg"],
    )


def test_a_field_that_some_samples_have_is_a_note_when_all_came_out():
    """The pipeline takes it either way."""
    fields = (*PLAIN, Tally("json", 20))
    (found,) = judge(fields, incomplete=(Tally("json", 4),), incomplete_keys=4)
    assert (found.level, found.advice) == (Level.INFO, "Nothing, if the field is optional.")


def test_samples_that_a_whole_epoch_lost_are_an_error():
    """They were skipped without a word."""
    (found,) = judge((*PLAIN, Tally("json", 23)), read=23, incomplete=(Tally("json", 1),), incomplete_keys=1)
    assert found.level is Level.ERROR
    assert found.message == (
        "1 of 24 samples in the archives lacks a field (`json` in 1); 1 sample never came out of the dataset"
    )


def test_a_run_that_was_cut_short_loses_nothing():
    """What was not read yet is not lost."""
    (found,) = judge(
        (*PLAIN, Tally("json", 23)),
        read=9,
        full_epoch=False,
        incomplete=(Tally("json", 1),),
        incomplete_keys=1,
    )
    assert found.level is Level.INFO


def test_longer_field_names_in_every_sample_are_silent():
    """A second image of the same sample is meant."""
    assert judge((*PLAIN, Tally("seg.jpg", 24)), dotted=("a0.seg.jpg",)) == []


def test_members_that_lie_apart_harm_only_streams():
    """An index finds them wherever they lie."""
    levels = [judge(split=("s.tar:a0",), kind=kind)[0].level for kind in ("iterable", "map")]
    assert levels == [Level.ERROR, Level.INFO]


def test_doubled_members_and_cut_archives_are_errors():
    """Singular and plural."""
    (doubled, cut) = judge(duplicated=("s.tar:a0.jpg", "s.tar:a1.jpg"), truncated=("s.tar",))
    assert doubled.message == "2 members occur twice in their archive: s.tar:a0.jpg and s.tar:a1.jpg"
    assert cut.message == "1 archive ends early or cannot be read: s.tar"
    assert (doubled.level, cut.level) == (Level.ERROR, Level.ERROR)
