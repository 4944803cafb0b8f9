"""DL212 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, not_applicable
from dldoctor.checks.duplicate_samples import DuplicateSamples
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import Contradiction, ProtocolEvidence, RepeatedContent, Scatter
from dldoctor.evidence.samples import SamplesEvidence, Substitution
from dldoctor.finding import Finding, Level, Unjudged
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Pictures", "loader", dataset_length=1000, batch_size=4)
NONE = RepeatedContent(compared=80, distinct=80, repeated=0, fields=("image",))
COPIES = replace(NONE, distinct=77, repeated=6, groups=((1, 5), (2, 9), (3, 7)))
LABELS = Contradiction("label", (1, 5), ("cat", "dog"), 2)


def judge(repeated: RepeatedContent | None, **evidence: object) -> list[Finding | Unjudged]:
    everything = {"loader": SPEC, "protocol": ProtocolEvidence(1000, repeated=repeated), **evidence}
    return list(DuplicateSamples().judge(Case(Evidence(**everything), Intent())))


def level(repeated: RepeatedContent) -> Level:
    (found,) = judge(repeated)
    assert isinstance(found, Finding)
    return found.level


def test_different_items_are_silent() -> None:
    """Nothing came twice."""
    assert judge(NONE) == []


def test_several_copies_are_a_warning_with_the_largest_group() -> None:
    """The share is of what was read."""
    (found,) = judge(COPIES)
    assert isinstance(found, Finding)
    assert (found.level, found.samples) == (Level.WARNING, (1, 5))
    assert found.message == (
        "6 of 80 items that were read (7.5%) hold the `image` of another one: samples 1 and 5 are equal"
    )


def test_one_pair_is_a_note_and_a_warning_with_two_labels() -> None:
    """A single copy may be in the data; one picture of two classes is a fault."""
    pair = replace(COPIES, distinct=79, repeated=2, groups=((1, 5),))
    assert level(pair) is Level.INFO
    assert level(replace(pair, contradiction=LABELS)) is Level.WARNING


def test_items_that_come_again_in_turn_may_be_meant_to() -> None:
    """As in a dataset that is put together with itself; not where their labels differ."""
    turns = replace(COPIES, distinct=40, repeated=80, period=40)
    (found,) = judge(turns)
    assert isinstance(found, Finding)
    assert found.level is Level.INFO
    assert found.message.endswith("items come again every 40 indices, fine if they are repeated on purpose")
    assert level(replace(turns, contradiction=LABELS)) is Level.WARNING


def test_items_that_other_random_numbers_change_are_no_copies() -> None:
    """Several crops of one file; not where their labels differ."""
    crops = replace(COPIES, varies=True)
    (found,) = judge(crops)
    assert isinstance(found, Finding)
    assert found.level is Level.INFO
    assert "are equal with equal random numbers, and differ with others" in found.message
    assert level(replace(crops, contradiction=LABELS)) is Level.WARNING


@pytest.mark.parametrize(("compared", "expected"), [(80, Level.WARNING), (2, Level.INFO)])
def test_one_content_for_all_is_a_warning_unless_two_were_all(compared: int, expected: Level) -> None:
    """Of two items that are equal, one may be a copy."""
    alike = RepeatedContent(compared, 1, compared, ("image",), ((0, 1),), period=1)
    assert level(replace(alike, period=None)) is expected


def test_where_other_rules_say_which_item_came() -> None:
    """A replaced item, or one that the index does not decide, is no copy."""
    replaced = SamplesEvidence(80, 0, 80, substituted=(Substitution(3, 4, None),), substituted_count=1)
    scatter = Scatter(
        indices=16, reads=4, crossed=16, varying=16, distinct=4, by="content", follows_seed=True
    )
    ignored = ProtocolEvidence(1000, scatter=scatter, repeated=COPIES)
    assert judge(COPIES, samples=replaced) == []
    assert judge(COPIES, protocol=ignored) == []


def test_fields_that_tell_nothing_are_not_judged() -> None:
    """Rows of a few numbers are alike by chance."""
    assert judge(None) == [not_applicable("no field holds enough to tell samples apart")]
