"""DL104 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, not_applicable
from dldoctor.checks.length_mismatch import LengthMismatch
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.checks.silent_stop import SilentStop
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.protocol import ProtocolEvidence, Reading
from dldoctor.finding import Level, SourceRef

SPEC = LoaderSpec(
    "map", "DataLoader", "Captions", "loader", dataset_length=24, loader_length=6, batch_size=4, shuffle=False
)
HERE = SourceRef("data.py", 12, "__getitem__")
STOP = Failure("sample", 13, "StopIteration", "StopIteration", 1, HERE, (13,))
EMPTY = Failure("sample", 9, "IndexError: list index out of range", "IndexError", 1, HERE, (9,))
PLAIN = ProtocolEvidence(24, plain_iteration_stops_at=9, iterates_by_index=True)


def rules(**evidence: object) -> list[tuple[str, Level]]:
    case = Case(Evidence(**{"loader": SPEC, "protocol": PLAIN, **evidence}))
    found = [one for check in (LengthMismatch(), SilentStop(), SampleFailed()) for one in check.judge(case)]
    return [(one.rule, one.level) for one in found]


def judge(
    failure: Failure, spec: LoaderSpec = SPEC, protocol: ProtocolEvidence | None = PLAIN
) -> list[object]:
    evidence = Evidence(loader=spec, protocol=protocol, failures=(failure,))
    return list(SilentStop().judge(Case(evidence)))


def test_stop_iteration_ends_the_epoch_of_a_loader() -> None:
    """The batches before that of the item are delivered, nothing after them."""
    (found,) = judge(STOP)
    assert (found.level, found.where, found.samples) == (Level.ERROR, HERE, (13,))
    assert found.message == (
        "index 13: StopIteration out of `__getitem__` ends the loader's epoch without an error "
        "after 12 of 24 items"
    )
    assert found.facts["share"] == 0.5


def test_in_a_shuffled_order_the_batch_tells_where_the_epoch_ends() -> None:
    """Without it nothing is said about how much is lost."""
    shuffled = replace(SPEC, shuffle=True, sampler="RandomSampler")
    (known,) = judge(replace(STOP, batch=2), shuffled)
    assert (known.facts["delivered"], known.facts["promised"]) == (8, 24)
    (unknown,) = judge(STOP, shuffled)
    assert unknown.facts["delivered"] is None
    assert unknown.message.endswith("without an error")


def test_what_drop_last_leaves_out_is_not_promised() -> None:
    """22 items in batches of 4 are 20."""
    spec = replace(SPEC, dataset_length=22, loader_length=5, drop_last=True)
    (found,) = judge(STOP, spec)
    assert (found.facts["delivered"], found.facts["promised"]) == (12, 20)


def test_a_bare_dataset_is_judged_by_a_plain_loop() -> None:
    """The batch size is not the user's."""
    (found,) = judge(STOP, replace(SPEC, given="dataset"))
    assert found.message.endswith("ends every loop over the data without an error after 13 of 24 items")


def test_an_index_error_of_the_users_own_code_ends_a_plain_loop() -> None:
    """Only this rule speaks."""
    (found,) = judge(EMPTY)
    assert found.message == (
        "index 9: IndexError: list index out of range out of `__getitem__` ends `for item in dataset` "
        "without an error after 9 of 24 items"
    )
    assert rules(failures=(EMPTY,)) == [("DL104", Level.ERROR)]


@pytest.mark.parametrize(
    ("failure", "protocol"),
    [
        (replace(EMPTY, raised_by_user=False), PLAIN),
        (EMPTY, ProtocolEvidence(24, iterates_by_index=False)),
        (EMPTY, ProtocolEvidence(24)),
        (replace(EMPTY, kind="KeyError", error="KeyError: 'a'"), PLAIN),
    ],
)
def test_what_ends_no_plain_loop_is_a_failed_sample(failure: Failure, protocol: ProtocolEvidence) -> None:
    """A library's IndexError, a dataset with `__iter__`, another exception."""
    assert rules(failures=(failure,), protocol=protocol) == [("DL105", Level.ERROR)]


def test_a_hole_and_a_wrong_length_at_one_place_are_two_findings() -> None:
    """Index 9 has readable items after it, from 20 on there are none."""
    both = replace(EMPTY, count=5, samples=(9, 20, 21, 22, 23))
    first = Reading(20, "index-error", EMPTY.error, HERE)
    protocol = replace(PLAIN, readable=20, first_unreadable=first)
    assert rules(failures=(both,), protocol=protocol) == [("DL101", Level.ERROR), ("DL104", Level.ERROR)]


def test_the_same_item_met_by_two_probes_is_one_finding() -> None:
    """The counts are those of the loader's run."""
    direct = replace(STOP, phase="protocol")
    evidence = Evidence(loader=SPEC, failures=(STOP, direct))
    (found,) = SilentStop().judge(Case(evidence))
    assert found.facts["count"] == 1


def test_streams_are_not_applicable() -> None:
    """A stream ends by StopIteration."""
    stream = replace(SPEC, kind="iterable")
    assert judge(STOP, stream) == [not_applicable("a stream may end by StopIteration")]
