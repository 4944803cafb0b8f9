"""The section on placeholders, as content, on 80 columns and as HTML."""

from __future__ import annotations

from dldoctor.evidence import Evidence
from dldoctor.evidence.placeholders import (
    CountField,
    CountMismatch,
    PlaceholdersEvidence,
    Stream,
    TagEvidence,
)
from dldoctor.render.content.placeholders import StreamRow, lines, stream_rows, title
from dldoctor.render.html import page
from dldoctor.render.terminal import plain
from dldoctor.report import Report
from tests.render.reports import report_of

SEEN = PlaceholdersEvidence(
    streams=(
        Stream("image", "pixel_values", "input_ids", (7,), "<image>", "tokenizer", "grid", "image_grid_thw / 2^2",
               items=40, dummies=2, rows=30, wrong_rows=3, batches=6),
        Stream("video", "films", items=1, why="no rule explains the runs of id 8"),
    ),
    counts=(
        CountField("image_grid_thw", "pixel_values", "grid", 6, 6),
        CountField("num_images", "pixel_values", "counts", 6, 5, True, (CountMismatch(0, 4, 3),)),
    ),
    tags=TagEvidence("<image>", 48, 40, 39, 1),
    batches=6,
    samples=48,
)  # fmt: skip


def _report() -> Report:
    return report_of(Evidence(placeholders=SEEN), [], command="check-alignment")


def test_each_kind_of_media_says_what_stands_for_it() -> None:
    """Those that could not be judged say why."""
    assert title(SEEN) == "40 images, 1 video in 6 batches"
    assert stream_rows(SEEN) == (StreamRow("image", "<image> 7", "image_grid_thw / 2^2", "27 of 30"),)
    assert lines(SEEN) == (
        ("image", "2 dummies that may go without placeholders"),
        ("video", "not judged: no rule explains the runs of id 8"),
        ("counts", "`image_grid_thw` agrees with `pixel_values` in every batch"),
        ("counts", "`num_images` differs from `pixel_values` in 1 batch"),
        ("tags", "as many `<image>` as images in 47 of 48 samples"),
    )


def test_the_terminal_has_a_row_for_each_kind() -> None:
    """On 80 columns."""
    text = plain(_report())
    start = text.index("Placeholders")
    shown = [line.rstrip() for line in text[start:].split("\n\n")[0].splitlines()]
    assert shown[0] == "Placeholders  40 images, 1 video in 6 batches"
    assert shown[1].split() == ["media", "placeholder", "counted", "by", "rows", "that", "fit"]
    assert shown[2].split() == ["image", "<image>", "7", "image_grid_thw", "/", "2^2", "27", "of", "30"]
    assert max(map(len, shown)) <= 80


def test_the_page_escapes_what_stands_in_texts() -> None:
    """A tag is text, not markup."""
    html = page(_report())
    assert '<section id="placeholders"' in html
    assert "&lt;image&gt; 7" in html
    assert "<image>" not in html
