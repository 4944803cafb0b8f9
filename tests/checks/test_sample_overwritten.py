"""DL119 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.sample_overwritten import SampleOverwritten
from dldoctor.evidence import Evidence
from dldoctor.evidence.fields import Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.samples import OverwrittenField, SamplesEvidence
from dldoctor.finding import Finding, Level, Unjudged
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Pictures", "loader", dataset_length=1000, batch_size=16)
KEPT = OverwrittenField("table", 32, Offenders(), 1, 1)


def judge(*fields: OverwrittenField) -> list[Finding | Unjudged]:
    samples = SamplesEvidence(64, 0, 64, overwritten=fields)
    return list(SampleOverwritten().judge(Case(Evidence(loader=SPEC, samples=samples), Intent())))


def test_samples_that_stay_what_they_were_are_silent() -> None:
    """A table that all share is one content before and after."""
    assert judge(KEPT) == []


def test_one_buffer_for_all_is_an_error() -> None:
    """The field with the most changed samples is told, and how many contents were left."""
    (found,) = judge(KEPT, OverwrittenField("image", 32, Offenders(30, (0, 1, 2)), 32, 2))
    assert isinstance(found, Finding)
    assert (found.level, found.samples) == (Level.ERROR, (0, 1, 2))
    assert found.message == (
        "`image` of samples that were read changed while others were read: of 32 different contents in"
        " 32 samples 2 were left when they were collated"
    )


def test_one_sample_a_batch_is_too_little() -> None:
    """Nothing is read between a sample and its collate."""
    assert judge(OverwrittenField("image", 1, Offenders(), 1, 1)) == [
        insufficient("no batch of two samples was read")
    ]


def test_texts_and_numbers_cannot_be_written_over() -> None:
    """Nothing was looked at twice."""
    assert judge() == [not_applicable("no field of a sample is an array, or no samples wait for their batch")]
