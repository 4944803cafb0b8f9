"""The section on rows that belong together, as content, on 80 columns and as HTML."""

from __future__ import annotations

from dldoctor.evidence import Evidence
from dldoctor.evidence.alignment import (
    AlignmentEvidence,
    CollateTrace,
    PartsEvidence,
    TracedField,
    WorkerPairs,
)
from dldoctor.evidence.annotations import AnnotationEvidence, BoxRow
from dldoctor.evidence.file_pairs import FilePairs, OrientationEvidence, TurnedPicture
from dldoctor.evidence.paired_transforms import PairedTransforms
from dldoctor.evidence.scores import ScoreEvidence
from dldoctor.evidence.times import TimeEvidence, TimeRow
from dldoctor.render.content.alignment import FieldRow, field_rows, lines, title
from dldoctor.render.html import page
from dldoctor.render.terminal import plain
from dldoctor.report import Report
from tests.render.reports import report_of

ALIGNMENT = AlignmentEvidence(
    collate=CollateTrace(
        6, 48, 40, 3, 1,
        (
            TracedField("image", 48, 48, {"equal": 48}),
            TracedField("ids", 48, 40, {"padded": 30, "equal": 10}),
            TracedField("mask<b>", 48, 0, unjudged="equals no sample"),
        ),
        alone_failed=2,
        without_source=1,
    ),
    workers=WorkerPairs(48, 4, "fork", ("image", "ids"), 2, provoked=("dataset.file",)),
    parts=PartsEvidence(
        48,
        AnnotationEvidence(48, 48, (BoxRow(0, "boxes", 3, 60, 40, False),), 48),
        FilePairs(48, 48, "name", 2),
        OrientationEvidence(96, (TurnedPicture(1, "a.jpg", 6, 60, 40, "stored"),)),
        TimeEvidence((TimeRow(0, {"audio": 1.0, "duration": 1.0}),)),
    ),
    transforms=(PairedTransforms("image", "mask", "mask", 32, 14),),
    scores=ScoreEvidence(48, 3, (), 0.31),
)  # fmt: skip


def _report() -> Report:
    return report_of(Evidence(alignment=ALIGNMENT), [], command="check-alignment")


def test_each_field_says_how_far_it_was_traced() -> None:
    """What the rows are to their samples, or why they tell nothing."""
    assert title(ALIGNMENT) == "6 batches put together by the collate, 40 rows compared"
    assert field_rows(ALIGNMENT) == (
        FieldRow("image", "48 of 48", "48 equal"),
        FieldRow("ids", "40 of 48", "30 padded, 10 equal"),
        FieldRow("mask<b>", "0 of 48", "equals no sample"),
    )


def test_each_comparison_is_a_line() -> None:
    """With its numbers."""
    assert lines(ALIGNMENT) == (
        ("collate", "2 samples could not be collated alone"),
        ("collate", "1 sample without an entry in a field of parts"),
        (
            "boxes",
            (
                "3 boxes of 1 sample against their pictures, read as xyxy (guessed from their values; `--box-format`"
                " declares it)"
            ),
        ),
        ("masks", "48 masks or sets of keypoints against the picture: all fit"),
        ("files", "48 pairs compared by name: 2 are no partners"),
        ("pictures", "96 files, 1 with an orientation: 1 not obeyed"),
        ("seconds", "1 sample with two parts whose length is told"),
        ("cards", "test cards, `mask` beside `image`, 32 readings: 14 transformed apart"),
        ("scorer", "48 pairs, median 0.31; 3 score no better than with other texts"),
        ("workers", "48 items from 4 workers and from none, with pauses in shared files: 2 came apart"),
    )


def test_it_fits_80_columns() -> None:
    """And says how much was compared."""
    text = plain(_report())
    assert "compared 48 samples" in text
    assert max(map(len, text.splitlines())) <= 80


def test_markup_in_a_field_shows_as_text() -> None:
    """On the page."""
    shown = page(_report())
    assert "mask&lt;b&gt;" in shown
    assert 'id="alignment"' in shown


def test_a_command_that_traced_nothing_has_no_section() -> None:
    """Neither in the page nor on the terminal."""
    other = report_of(Evidence(), [], command="dry-run")
    assert 'id="alignment"' not in page(other)
    assert "Alignment" not in plain(other)
