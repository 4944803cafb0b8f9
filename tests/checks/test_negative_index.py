"""DL103 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.negative_index import NegativeIndex
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import ProtocolEvidence, Reading, Reread
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Sentences", "loader", dataset_length=10)


def judge(reading: Reading | None, spec: LoaderSpec = SPEC, **protocol: object) -> list[object]:
    evidence = Evidence(loader=spec, protocol=ProtocolEvidence(10, at_minus_one=reading, **protocol))
    return list(NegativeIndex().judge(Case(evidence)))


def test_another_item_is_info() -> None:
    """The message names the item that came back."""
    (found,) = judge(Reading(-1, "value", same_as=3))
    assert (found.level, found.samples) == (Level.INFO, (3,))
    assert found.message == "`dataset[-1]` returns the item of index 3 instead of the last one (9)"


def test_an_item_that_is_no_other_is_info() -> None:
    """It equals none of those that were read."""
    (found,) = judge(Reading(-1, "value"), rereads=(Reread(0, equal=True),))
    assert found.message == "`dataset[-1]` returns an item that is not the last one"


@pytest.mark.parametrize(
    "reading",
    [
        Reading(-1, "value", same_as=9),
        Reading(-1, "index-error"),
        Reading(-1, "raised", "KeyError: -1"),
        Reading(-1, "stop"),
    ],
)
def test_the_last_item_or_an_error_is_clean(reading: Reading) -> None:
    """A list gives the last item, others refuse."""
    assert judge(reading) == []


def test_the_last_item_must_be_known() -> None:
    """It is not, where it cannot be read or is never the same."""
    value = Reading(-1, "value")
    assert judge(value, readable=3, first_unreadable=Reading(3, "index-error")) == [
        insufficient("the last item cannot be read, so there is nothing to compare with")
    ]
    assert judge(value, rereads=(Reread(0, equal=False),)) == [
        insufficient("items are not the same when read again, so the last one cannot be recognised")
    ]


def test_streams_and_unread_datasets_are_not_judged() -> None:
    """Each says why."""
    assert judge(None) == [insufficient("`dataset[-1]` was not read")]
    stream = replace(SPEC, kind="iterable")
    assert judge(Reading(-1, "value"), stream) == [not_applicable("a stream has no index")]
