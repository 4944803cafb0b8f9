"""DL114 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.index_ignored import IndexIgnored
from dldoctor.checks.length_mismatch import LengthMismatch
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.checks.sample_substituted import SampleSubstituted
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.protocol import ProtocolEvidence, Reading, Scatter
from dldoctor.evidence.samples import SamplesEvidence, Substitution
from dldoctor.finding import Finding, Level, SourceRef
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Images", "loader", dataset_length=50, batch_size=4)
HERE = SourceRef("data.py", 21, "__getitem__")
ERROR = "OSError: image file is truncated"
ZEROES = tuple(Substitution(k, 0, ERROR, HERE) for k in range(3, 50, 4))
PROTOCOL = ProtocolEvidence(50, substituted=ZEROES, read=50)
RUN_OVER = Failure(
    "sample", 49, "IndexError: list index out of range", "IndexError", 1, HERE, (49,), retried=True
)


def judge(check: object = None, intent: Intent = Intent(), **evidence: object) -> list[Finding]:
    case = Case(Evidence(**{"loader": SPEC, **evidence}), intent)
    return list((check or SampleSubstituted()).judge(case))


def test_samples_replaced_by_item_0_are_an_error() -> None:
    """With their share, the most repeated item, those never seen, and what was swallowed."""
    (found,) = judge(protocol=PROTOCOL)
    assert (found.level, found.where, found.samples) == (Level.ERROR, HERE, tuple(range(3, 50, 4)))
    assert found.message == (
        f"12 of 50 samples read (24%) were replaced: index 3 returns the item of index 0 after {ERROR}; "
        "index 0 stands in for 12 others"
    )
    assert found.facts == {
        "count": 12,
        "read": 50,
        "share": 0.24,
        "pairs": [[str(k), "0"] for k in range(3, 50, 4)],
        "most_repeated": "0",
        "most_repeated_times": 12,
        "never_produced": [str(k) for k in range(3, 50, 4)],
        "never_produced_count": 12,
        "swallowed": [ERROR],
        "ran_out": [],
    }


def test_the_loaders_run_counts_where_it_saw_them() -> None:
    """Direct reads of the same index are not counted again."""
    samples = SamplesEvidence(200, 0, 50, substituted=(Substitution(3, None, None),), substituted_count=4)
    (found,) = judge(samples=samples, protocol=replace(PROTOCOL, substituted=ZEROES[:1]))
    assert found.message == (
        f"4 of 200 samples read (2%) were replaced: index 3 returns the item of index 0 after {ERROR}"
    )


def test_a_replacement_that_runs_over_the_end_is_one_finding() -> None:
    """Neither a wrong length nor a failed sample besides."""
    first = Reading(49, "index-error", RUN_OVER.error, HERE, retried=True)
    protocol = ProtocolEvidence(
        50,
        readable=49,
        first_unreadable=first,
        substituted=(Substitution(9, 10, ERROR, HERE),),
        read=50,
        iterates_by_index=True,
    )
    evidence = {"protocol": protocol, "failures": (RUN_OVER,)}
    (found,) = judge(**evidence)
    assert found.message == (
        f"1 of 50 samples read (2%) was replaced: index 9 returns the item of index 10 after {ERROR}; "
        "the replacement for index 49 fails in turn with IndexError: list index out of range"
    )
    assert judge(LengthMismatch(), **evidence) == []
    assert judge(SampleFailed(), **evidence) == []


def test_a_replacement_that_only_ever_ran_out_is_reported() -> None:
    """The only broken sample is the last one."""
    (found,) = judge(failures=(RUN_OVER,), protocol=ProtocolEvidence(50))
    assert found.message == (
        "the replacement for index 49 fails in turn with IndexError: list index out of range"
    )
    assert found.samples == (49,)


def test_declared_replacement_is_info_unless_it_runs_out() -> None:
    """Within bounds is part of the declaration."""
    meant = Intent(substitutes=True)
    (found,) = judge(intent=meant, protocol=PROTOCOL)
    assert (found.level, found.message.endswith("(declared)")) == (Level.INFO, True)
    (over,) = judge(intent=meant, protocol=PROTOCOL, failures=(RUN_OVER,))
    assert over.level == Level.ERROR


def test_random_stand_ins_do_not_mean_that_the_index_is_ignored() -> None:
    """Most samples failing makes most indices vary, but an exception was swallowed each time."""
    scatter = Scatter(indices=16, reads=8, crossed=60, varying=12, distinct=9, by="own-id")
    protocol = replace(PROTOCOL, scatter=scatter)
    assert len(judge(protocol=protocol)) == 1
    assert judge(IndexIgnored(), protocol=protocol) == []


def test_what_was_not_replaced_is_clean() -> None:
    """Retries on the same item and mixtures leave no trace in the evidence."""
    assert judge(protocol=ProtocolEvidence(50, read=50), samples=SamplesEvidence(50, 0, 50)) == []


def test_streams_and_unread_datasets_are_not_judged() -> None:
    """Each says why."""
    reason = "a stream has no index whose item could be replaced"
    assert judge(loader=replace(SPEC, kind="iterable")) == [not_applicable(reason)]
    assert judge(missing={"protocol": "the dataset hung"}) == [insufficient("the dataset hung")]
