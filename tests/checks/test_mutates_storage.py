"""DL116 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.checks.mutates_storage import MutatesStorage
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.protocol import ProtocolEvidence, Reread
from dldoctor.finding import Finding, Level

SPEC = LoaderSpec("map", "DataLoader", "Scans", "loader", dataset_length=24, batch_size=4)
CHANGED = Reread(3, False, ("2.0", "4.0", "8.0"), "image", "self.images")


def judge(*rereads: Reread, spec: LoaderSpec = SPEC) -> list[Finding]:
    evidence = Evidence(loader=spec, protocol=ProtocolEvidence(24, rereads=rereads))
    return list(MutatesStorage().judge(Case(evidence)))


def test_an_item_that_changes_with_what_is_stored_is_an_error() -> None:
    """With the three values and the attribute."""
    (found,) = judge(CHANGED, Reread(0, equal=True))
    assert (found.level, found.samples) == (Level.ERROR, (3,))
    assert found.message == (
        "reading an item changes `self.images`: index 3, read three times, gave different values "
        "in `image`: 2.0, then 4.0, then 8.0"
    )
    assert found.facts == {
        "attribute": "self.images",
        "field": "image",
        "values": ["2.0", "4.0", "8.0"],
        "changed": 1,
        "reread": 2,
        "share": 0.5,
    }


def test_each_attribute_is_one_finding() -> None:
    """However many items show it."""
    boxes = replace(CHANGED, index=5, path="value", storage_changed="self.boxes", previews=())
    found = judge(CHANGED, replace(CHANGED, index=4), boxes)
    assert [(one.facts["attribute"], one.samples) for one in found] == [
        ("self.images", (3, 4)),
        ("self.boxes", (5,)),
    ]
    assert found[1].message == (
        "reading an item changes `self.boxes`: index 5, read three times, gave different values"
    )


def test_items_that_are_kept_one_by_one_are_one_finding() -> None:
    """A list of arrays is one store."""
    kept = [replace(CHANGED, index=at, storage_changed=f"self.images[{at}]") for at in (3, 4)]
    (found,) = judge(*kept)
    assert (found.facts["attribute"], found.samples) == ("self.images[...]", (3, 4))
    (alone,) = judge(kept[0])
    assert alone.facts["attribute"] == "self.images[3]"


def test_caches_and_own_generators_are_clean() -> None:
    """Stored data that changes without a change of the item, and the other way round."""
    assert judge(replace(CHANGED, equal=True), replace(CHANGED, storage_changed=None)) == []


def test_streams_and_unread_datasets_are_not_judged() -> None:
    """Each says why."""
    assert judge() == [insufficient("no item could be read twice")]
    stream = replace(SPEC, kind="iterable")
    assert judge(CHANGED, spec=stream) == [not_applicable("a stream has no index to read twice")]
