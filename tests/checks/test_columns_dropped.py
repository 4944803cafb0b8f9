"""DL117 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.columns_dropped import ColumnsDropped
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import ColumnsEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader")


def judge(*asked: str) -> list[object]:
    columns = ColumnsEvidence(("input_ids", "text"), ("input_ids", "labels"), asked, "data.collate")
    return list(ColumnsDropped().judge(Case(Evidence(loader=SPEC, columns=columns))))


def test_a_column_that_is_read_and_removed_is_an_error() -> None:
    """It is named, and what is kept."""
    (found,) = judge("text")
    assert found.level is Level.ERROR
    assert found.message == (
        "the collate reads `text`, which is in the data and removed by the trainer, since the model's signature"
        " does not name it; kept: `input_ids`"
    )


def test_what_is_kept_or_not_in_the_data_is_clean() -> None:
    """A collate may look for labels that these data do not have."""
    assert judge() == judge("labels") == judge("input_ids") == []
