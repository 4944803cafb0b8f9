"""DL218 on hand-made evidence: rates that are kept, resampled, or only stated."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.sample_rate_mix import SampleRateMix
from dldoctor.evidence import Evidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.protocol import ProtocolEvidence
from dldoctor.evidence.sample_rates import SampleRates
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Finding

MIXED = SampleRates(
    "audio",
    (Tally("16000", 30, (0, 1, 2)), Tally("44100", 2, (7, 9))),
    "file",
    in_sample="kept",
    in_batch="kept",
)


def judged(rates: SampleRates | None) -> list[tuple[str, str]]:
    case = Case(Evidence(protocol=ProtocolEvidence(32, rates=rates)))
    return [
        (one.level.value, one.message.rpartition("; ")[2]) if isinstance(one, Finding) else (one.status, "")
        for one in SampleRateMix().judge(case)
    ]


def test_the_rates_stand_with_their_items() -> None:
    """The rare ones first."""
    (found,) = SampleRateMix().judge(Case(Evidence(protocol=ProtocolEvidence(32, rates=MIXED))))
    assert isinstance(found, Finding)
    assert found.message == (
        "sounds in `audio` have 2 sampling rates by the headers of their files: 44.1 kHz in 2 (7 and 9), 16 kHz in "
        "30 (0, 1, 2 and 27 more) of 32 items that were read; they reach the batch as they are"
    )
    assert found.samples == (7, 9)


def test_what_is_brought_to_one_rate_is_silent() -> None:
    """Wherever that happens."""
    assert judged(replace(MIXED, in_sample="resampled", in_batch="unknown")) == []
    assert judged(replace(MIXED, in_batch="resampled", rate_path="rate")) == []
    assert judged(replace(MIXED, rates=MIXED.rates[:1])) == []


def test_the_level_follows_what_was_seen() -> None:
    """Whoever has the rate may still resample."""
    unseen = replace(MIXED, in_batch="unknown")
    assert judged(unseen) == [
        ("warning", "they are not resampled, and no field tells their rate to what comes later")
    ]
    assert judged(replace(unseen, rate_path="1")) == [("info", "fine if the collate does so by `1`")]
    stated = replace(MIXED, told_by="field", rate_path="1", in_sample="unknown")
    assert judged(stated) == [("warning", "they reach the batch as they are")]
    assert judged(replace(stated, in_batch="unknown")) == [("info", "fine if they are")]


def test_a_stream_is_judged_by_the_rates_that_it_states() -> None:
    """A note: its sounds were not followed."""
    field = FieldEvidence("audio.sampling_rate", "sample", "int", None, 40, counts=MIXED.rates)
    samples = SamplesEvidence(read=32, failed=0, distinct=32)
    missing = {"protocol": "a stream has no indices to ask for"}
    case = Case(Evidence(samples=samples, fields=(field,), missing=missing))
    (found,) = SampleRateMix().judge(case)
    assert isinstance(found, Finding)
    assert (found.level.value, found.facts["told_by"]) == ("info", "field")
    (silent,) = SampleRateMix().judge(Case(Evidence(samples=samples, missing=missing)))
    assert silent == insufficient("a stream has no indices to ask for")


def test_no_sound_and_no_time_are_told_apart() -> None:
    """Neither is clean."""
    assert judged(None) == [("not-applicable", "")]
    assert judged(replace(MIXED, rates=())) == [("insufficient-evidence", "")]
