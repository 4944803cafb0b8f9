"""DL115 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.index_ignored import IndexIgnored
from dldoctor.checks.sample_substituted import SampleSubstituted
from dldoctor.evidence import Evidence
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import ProtocolEvidence, Reread, Scatter
from dldoctor.evidence.samples import SamplesEvidence, Substitution
from dldoctor.finding import Finding, Level
from dldoctor.intent import Intent

SPEC = LoaderSpec("map", "DataLoader", "Digits", "loader", dataset_length=1000, batch_size=4)
NAMED = Scatter(
    indices=16, reads=4, crossed=2, varying=16, distinct=16, by="own-id", example=3, values=("7", "41", "90")
)
BY_CONTENT = replace(NAMED, by="content", crossed=12, values=())


def judge(scatter: Scatter | None, intent: Intent = Intent(), **evidence: object) -> list[Finding]:
    protocol = evidence.pop("protocol", ProtocolEvidence(1000))
    everything = {"loader": SPEC, "protocol": replace(protocol, scatter=scatter), **evidence}
    return list(IndexIgnored().judge(Case(Evidence(**everything), intent)))


def test_another_id_each_time_is_a_warning() -> None:
    """The dataset itself names another item."""
    (found,) = judge(NAMED)
    assert (found.level, found.samples) == (Level.WARNING, (3,))
    assert found.message == (
        "16 of 16 indices gave different items when read 4 times: index 3 gave 7, 41, 90"
    )


def test_a_whole_epoch_says_how_many_items_it_met() -> None:
    """Where the dataset names its items."""
    samples = SamplesEvidence(1000, 0, 1000, own_id_field="id", full_epoch=True)
    ids = FieldEvidence("id", "sample", "int", None, distinct=635)
    (found,) = judge(NAMED, samples=samples, fields=(ids,))
    assert found.message.endswith("; one epoch met 635 of 1000 items")
    assert found.facts["distinct_in_epoch"] == 635


def test_items_of_other_indices_by_content_are_a_warning() -> None:
    """They come from one common set."""
    assert [found.level for found in judge(BY_CONTENT)] == [Level.WARNING]


@pytest.mark.parametrize(
    "scatter",
    [
        replace(BY_CONTENT, crossed=0),
        replace(BY_CONTENT, crossed=1),
        replace(BY_CONTENT, varying=0, crossed=64),
        replace(NAMED, varying=4),
    ],
)
def test_augmentation_duplicates_and_constant_items_are_clean(scatter: Scatter) -> None:
    """Content of its own each time, one chance pair, equal items, a few that vary."""
    assert judge(scatter) == []


def test_random_windows_of_one_text_are_info() -> None:
    """Equal for all indices with equal random numbers, never met again otherwise."""
    (found,) = judge(replace(BY_CONTENT, crossed=0, follows_seed=True, seeded=8))
    assert found.level == Level.INFO
    assert found.message.startswith(
        "random numbers alone decide what comes back: 8 indices from all over the dataset gave one and the same"
    )


def test_declared_repeats_are_not_judged() -> None:
    """They are meant."""
    assert judge(NAMED, Intent(replacement=True)) == [not_applicable("repeats are declared")]


def test_stored_data_that_changes_is_the_cause_that_is_reported() -> None:
    """A list from which items are popped gives other items each time."""
    changed = Reread(3, equal=False, storage_changed="self.items")
    assert judge(NAMED, protocol=ProtocolEvidence(1000, rereads=(changed,))) == []


def test_the_index_speaks_where_items_were_fetched_through_others_without_an_error() -> None:
    """`return self[random index]` for every index replaces nothing that failed."""
    replaced = (Substitution(3, 41, None), Substitution(4, 7, None))
    protocol = ProtocolEvidence(1000, scatter=NAMED, substituted=replaced, read=16)
    case = Case(Evidence(loader=SPEC, protocol=protocol))
    assert [found.rule for found in IndexIgnored().judge(case)] == ["DL115"]
    assert list(SampleSubstituted().judge(case)) == []


def test_streams_and_too_few_reads_are_not_judged() -> None:
    """Each says why."""
    few = [insufficient("too few items could be read twice")]
    assert judge(None) == few
    assert judge(replace(NAMED, reads=1)) == few
    assert judge(NAMED, loader=replace(SPEC, kind="iterable")) == [not_applicable("a stream has no index")]
