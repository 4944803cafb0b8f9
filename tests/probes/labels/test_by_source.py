"""The trained share of each source that samples name."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.labels import SourceShare
from tests.probes.labels.rows import collected
from tests.zoo._chat import IGNORED, collate, sample, whole


def rows(count: int) -> list[dict[str, Any]]:
    """Every third row is of a source whose labels are all ignored."""
    made = []
    for number in range(count):
        row = sample(number)
        if number % 3 == 2:
            row["labels"] = [IGNORED] * len(row["labels"])
        made.append({**row, "source": "forum" if number % 3 == 2 else "books", "text": f"row {number}"})
    return made


def batches(count: int) -> list[list[dict[str, Any]]]:
    """Batches of six."""
    made = rows(count)
    return [made[at : at + 6] for at in range(0, count, 6)]


def test_a_source_that_is_never_trained_is_seen() -> None:
    """By the name that the samples give; a text of its own in each row is no source."""
    found = collected(batches(48), collate).by_source
    made = rows(48)
    tokens = {
        name: sum(len(one["input_ids"]) for one in made if one["source"] == name)
        for name in ("books", "forum")
    }
    trained = sum(sum(label != IGNORED for label in one["labels"]) for one in made)
    assert found == (
        SourceShare("source", "books", 32, tokens["books"], trained),
        SourceShare("source", "forum", 16, tokens["forum"], 0),
    )


def test_a_declared_field_counts_alone() -> None:
    """Numbers too."""
    made = [[{**one, "kind": number % 2} for number, one in enumerate(batch)] for batch in batches(24)]
    found = collected(made, collate, fields={"group": "kind"}).by_source
    assert sorted((one.path, one.value, one.rows) for one in found) == [("kind", "0", 12), ("kind", "1", 12)]


def test_one_source_is_no_comparison() -> None:
    """Nor is a name that each sample has for itself."""
    made = [
        [
            {**whole(6 * place + number), "source": "books", "task": f"task {6 * place + number}"}
            for number in range(6)
        ]
        for place in range(8)
    ]
    assert collected(made, collate).by_source == ()
