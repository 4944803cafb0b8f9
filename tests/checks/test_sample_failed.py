"""DL105 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Death, Failure, OutcomeEvidence, WorkAt
from dldoctor.evidence.protocol import ProtocolEvidence
from dldoctor.evidence.samples import SamplesEvidence, Substitution
from dldoctor.finding import Finding, Level, SourceRef, StreamPosition

SPEC = LoaderSpec("map", "DataLoader", "Table", "loader", dataset_length=40, batch_size=4, shuffle=False)
HERE = SourceRef("data.py", 18, "parse")
VALUE = "ValueError: could not convert string to float: 'n/a'"
ROWS = Failure("sample", 7, VALUE, "ValueError", 4, HERE, (7, 17, 27, 37))
READ = SamplesEvidence(read=36, failed=4, distinct=36)


def judge(*failures: Failure, **evidence: object) -> list[Finding]:
    case = Case(Evidence(**{"loader": SPEC, "samples": READ, "failures": failures, **evidence}))
    return list(SampleFailed().judge(case))


def test_failing_samples_are_one_error_a_kind_and_place() -> None:
    """With their share and the innermost frame."""
    (found,) = judge(ROWS)
    assert found == Finding(
        rule="DL105",
        name="sample-failed",
        level=Level.ERROR,
        message=f"4 of 40 samples read (10%), first index 7, failed with {VALUE}",
        advice="Repair these samples, or leave them out when the list of samples is made.",
        where=HERE,
        samples=(7, 17, 27, 37),
        facts={"error": VALUE, "kind": "ValueError", "count": 4, "read": 40, "share": 0.1},
    )


def test_one_failing_sample_is_named() -> None:
    """No share is worked out in words for a single one."""
    (found,) = judge(replace(ROWS, count=1, samples=(7,)))
    assert found.message == f"index 7 failed (1 of 40 samples read) with {VALUE}"


def test_two_places_are_two_findings_and_two_probes_are_one() -> None:
    """The place is what makes a cause."""
    other = replace(ROWS, where=SourceRef("data.py", 30, "decode"), count=1, samples=(3,))
    again = replace(ROWS, phase="protocol", count=1, samples=(7,))
    assert [found.facts["count"] for found in judge(ROWS, other, again)] == [4, 1]


def test_a_direct_read_beyond_the_length_is_no_failure() -> None:
    """Nothing was promised there."""
    beyond = replace(ROWS, id=40, samples=(40,), count=1, phase="protocol")
    negative = replace(ROWS, id=-1, samples=(-1,), count=1, phase="protocol")
    assert judge(beyond, negative) == []


def test_a_direct_read_alone_says_no_share() -> None:
    """It is not part of what the loader read."""
    (found,) = judge(replace(ROWS, phase="protocol", count=2, samples=(7, 17)))
    assert found.message == f"2 reads, first index 7, failed with {VALUE}"
    assert found.facts["share"] is None


def test_a_sampler_beyond_the_length_is_named_as_the_cause() -> None:
    """The dataset is right to refuse."""
    error = "IndexError: list index out of range"
    failure = Failure("sample", 40, error, "IndexError", 1, HERE, (40,))
    protocol = ProtocolEvidence(40, iterates_by_index=True)
    (found,) = judge(failure, protocol=protocol)
    assert found.message == (
        f"index 40 failed (1 of 40 samples read) with {error}, asked for by the sampler although `len` is 40"
    )
    assert found.advice == "Let the sampler draw indices below `len(dataset)` only."


def test_code_that_fails_for_most_samples_is_to_be_repaired() -> None:
    """It is hardly the data."""
    (found,) = judge(replace(ROWS, count=40), samples=SamplesEvidence(0, 40, 0))
    assert found.message.startswith("40 of 40 samples read (100%)")
    assert found.advice == "Repair the code at this place: most samples fail there."


def test_a_stream_tells_how_far_it_came() -> None:
    """Streams have no index."""
    at = StreamPosition(0, 7)
    failure = replace(ROWS, id=at, count=1, samples=(at,))
    (found,) = judge(failure, loader=replace(SPEC, kind="iterable"))
    assert found.message == f"the stream of worker 0 failed after 7 samples with {VALUE}"


def test_a_chain_of_replacements_that_ran_out_is_not_reported_twice() -> None:
    """`sample-substituted` reports it."""
    recursion = Failure("sample", 0, "RecursionError: maximum", "RecursionError", 1, HERE, (0,))
    substituted = (Substitution(3, 0, "OSError: truncated"),)
    assert judge(recursion, protocol=ProtocolEvidence(40, substituted=substituted)) == []
    assert len(judge(recursion)) == 1


def test_an_exception_of_the_loader_itself_is_reported() -> None:
    """Unless a worker died and the exception is only its echo."""
    failure = Failure(
        "loader", None, "TypeError: bad index", "TypeError", 1, SourceRef("data.py", 50, "Buckets")
    )
    (found,) = judge(failure)
    assert found.message == "the loader failed with TypeError: bad index"
    death = Death(WorkAt(0, 1234, "getitem", 5), "SIGKILL", None, "loader")
    assert judge(failure, outcome=OutcomeEvidence(deaths=(death,))) == []


def test_the_collate_is_another_rule() -> None:
    """And no failure is clean."""
    assert judge(replace(ROWS, stage="collate")) == []
    assert judge() == []
