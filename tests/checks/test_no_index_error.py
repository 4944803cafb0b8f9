"""DL102 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.no_index_error import NoIndexError
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import ProtocolEvidence, Reading
from dldoctor.evidence.samples import Substitution
from dldoctor.finding import Level, SourceRef

BARE = LoaderSpec("map", "DataLoader", "Windows", "dataset", dataset_length=10)
LOADER = replace(BARE, given="loader")
HERE = SourceRef("data.py", 4, "__getitem__")
VALUE = Reading(10, "value", preview="10")
KEY_ERROR = Reading(10, "raised", "KeyError: 10", HERE)


def judge(reading: Reading | None, spec: LoaderSpec = BARE, **protocol: object) -> list[object]:
    evidence = Evidence(loader=spec, protocol=ProtocolEvidence(10, at_length=reading, **protocol))
    return list(NoIndexError().judge(Case(evidence)))


def test_a_value_past_the_end_of_a_bare_dataset_is_a_warning() -> None:
    """Plain iteration does not stop at the length."""
    (found,) = judge(VALUE)
    assert found.level == Level.WARNING
    assert found.message == (
        "`dataset[10]`, one past the end, returns 10 instead of raising IndexError: "
        "`for item in dataset` does not stop at `len`"
    )


def test_another_exception_past_the_end_of_a_bare_dataset_is_a_warning() -> None:
    """A dict behind the dataset raises KeyError."""
    (found,) = judge(KEY_ERROR)
    assert (found.level, found.where) == (Level.WARNING, HERE)
    assert found.message == (
        "`dataset[10]`, one past the end, raises KeyError: 10 instead of raising IndexError: "
        "`for item in dataset` ends with this error"
    )


@pytest.mark.parametrize(
    ("reading", "protocol"),
    [
        (replace(VALUE, same_as=0), {}),
        (replace(VALUE, same_as=3), {}),
        (Reading(10, "stop", "StopIteration"), {}),
        (VALUE, {"iterates_by_index": False}),
    ],
)
def test_what_harms_no_loop_is_info_for_a_bare_dataset(reading: Reading, protocol: dict[str, bool]) -> None:
    """Repeats by modulo, StopIteration, and an `__iter__` of its own."""
    assert [found.level for found in judge(reading, **protocol)] == [Level.INFO]


def test_an_index_that_is_clamped_to_the_last_item_is_a_warning() -> None:
    """The last item comes back for ever."""
    (found,) = judge(replace(VALUE, same_as=9))
    assert (found.level, found.facts["same_as"]) == (Level.WARNING, 9)


@pytest.mark.parametrize("reading", [VALUE, KEY_ERROR])
@pytest.mark.parametrize("given", ["loader", "pair"])
def test_a_dataset_that_a_loader_reads_is_info(reading: Reading, given: str) -> None:
    """A DataLoader never asks for an index past the end."""
    assert [found.level for found in judge(reading, replace(BARE, given=given))] == [Level.INFO]


def test_index_error_past_the_end_is_clean() -> None:
    """This is the contract."""
    assert judge(Reading(10, "index-error", "IndexError: list index out of range")) == []


def test_a_replacement_of_failing_samples_speaks_for_itself() -> None:
    """The item past the end is replaced like any other: `sample-substituted` reports it."""
    replaced = (Substitution(3, 0, "OSError: truncated"),)
    assert judge(replace(VALUE, same_as=0), substituted=replaced) == []
    assert judge(Reading(10, "raised", "RecursionError: maximum"), substituted=replaced) == []
    assert len(judge(KEY_ERROR, substituted=replaced)) == 1


def test_streams_and_unread_ends_are_not_judged() -> None:
    """Each says why."""
    assert judge(None) == [insufficient("the index just past the end was not read")]
    assert judge(VALUE, replace(BARE, kind="iterable")) == [not_applicable("a stream has no index")]
