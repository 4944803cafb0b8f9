"""DL401, DL402, DL403, DL407 on hand-made rows: one cause speaks, the others are silent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.checks.image_count_mismatch import ImageCountMismatch
from dldoctor.checks.image_counts_inconsistent import ImageCountsInconsistent
from dldoctor.checks.image_tokens_truncated import ImageTokensTruncated
from dldoctor.checks.placeholder_run_mismatch import PlaceholderRunMismatch
from dldoctor.evidence import Evidence
from dldoctor.evidence.placeholders import (
    CountField,
    CountMismatch,
    PlaceholderRow,
    PlaceholdersEvidence,
    Slot,
    Stream,
    Tag,
    TagEvidence,
    TaggedSample,
)
from dldoctor.finding import Finding

CHECKS: tuple[Check, ...] = (
    ImageCountMismatch(), ImageTokensTruncated(), PlaceholderRunMismatch(), ImageCountsInconsistent(),
)  # fmt: skip
STREAM = Stream(
    "image", "pixel_values", "input_ids", (7,), "<image>", "tokenizer", "grid", "image_grid_thw / 2^2", rows=8, items=8,
    batches=2,
)  # fmt: skip


def row(
    *slots: tuple[int, int], batch: int = 0, number: int = 0, real: int = 40, **facts: Any
) -> PlaceholderRow:
    """A row of runs with what they should be."""
    made = tuple(
        Slot(10 * at if length else -1, length, size, (at,)) for at, (length, size) in enumerate(slots)
    )
    return PlaceholderRow(batch, number, 8 * batch + number, 0, made, real, **facts)


def told(*rows: PlaceholderRow, stream: Stream = STREAM, **evidence: Any) -> list[tuple[str, str]]:
    """Return rule and level of each finding."""
    return [(one.rule, one.level.value) for one in findings(*rows, stream=stream, **evidence)]


def findings(*rows: PlaceholderRow, stream: Stream = STREAM, **evidence: Any) -> list[Finding]:
    wrong = sum(not one.fits for one in rows)
    seen = PlaceholdersEvidence(
        (replace(stream, wrong_rows=wrong),), rows, longest_row=60, longest=70, **evidence
    )
    case = Case(Evidence(placeholders=seen))
    return [one for check in CHECKS for one in check.judge(case) if isinstance(one, Finding)]


def tags(*samples: TaggedSample, agreeing: int = 6, pictured: int = 8) -> TagEvidence:
    return TagEvidence("<image>", 8, pictured, agreeing, len(samples), {}, samples)


def test_rows_that_fit_are_silent() -> None:
    """Text alone, one image, two."""
    assert told(row(), row((16, 16)), row((16, 16), (4, 4))) == []


def test_swapped_runs_are_told_as_an_order() -> None:
    """Totals agree."""
    (found,) = findings(row((4, 16), (16, 4)))
    assert found.message == (
        "images stand in another order than their placeholders, though the totals agree (20 and 20): row 0 of batch 0 "
        "has runs [4, 16] of `<image>` (id 7) for images of [16, 4] (image_grid_thw / 2^2), in 1 row of 8"
    )
    assert found.facts["kind"] == "order"


def test_rows_with_several_images_of_which_one_was_expanded() -> None:
    """Rows with one image are right."""
    (found,) = findings(row((16, 16)), row((16, 16), (1, 16), number=1))
    assert found.message.startswith(
        "placeholders were not expanded in 1 row with several images (1 row with one is right)"
    )


def test_kinds_of_runs_are_findings_of_their_own() -> None:
    """A run without an image, and a run that is short."""
    found = findings(row((16, 0)), row((15, 16), batch=1))
    assert [one.facts["kind"] for one in found] == ["extra", "length"]


def test_runs_that_lack_the_same_number_are_one_finding() -> None:
    """Of a run of two one is left, of a run of one nothing; a run that lacks more is told apart."""
    (found,) = findings(row((15, 16)), row((1, 2), batch=1), row((0, 1), batch=2))
    assert (found.facts["kind"], found.facts["rows"], found.samples) == ("length", 3, (0, 8, 16))
    assert len(findings(row((15, 16)), row((1, 4), batch=1))) == 2


def test_truncation_explains_what_a_cut_row_lacks() -> None:
    """At the limit; longer before; or the longest of all, ending within a run."""
    short = row((10, 16))
    assert told(short) == [("DL403", "error")]
    assert told(replace(short, source=50)) == [("DL402", "error")]
    assert told(short, limit=40) == [("DL402", "error")]
    assert told(replace(short, real=60, ends_inside=True)) == [("DL402", "error")]
    assert told(replace(short, ends_inside=True)) == [("DL403", "error")]
    unexpanded = row((16, 16), (1, 16), real=60, ends_inside=True)
    assert told(unexpanded) == [("DL403", "error")]


def test_truncation_gives_the_smallest_limit() -> None:
    """And says whether text behind the cut was counted."""
    (found,) = findings(row((10, 16)), limit=40, limit_from="collate.max_length")
    assert found.message == (
        "1 row of 8 was cut at 40 tokens (collate.max_length) and lost 6 placeholders: row 0 of batch 0 has 10 of "
        "`<image>` (id 7) for 16 features (image_grid_thw / 2^2); it takes at least 70 tokens to keep every image, and "
        "more for text behind the cut"
    )
    assert found.facts["safe_limit"] == 70


def test_a_sample_with_a_quoted_tag_owns_the_rows_of_its_batch() -> None:
    """What slips behind it is the same fault."""
    quoting = TaggedSample(
        3,
        1,
        (Tag("<image>", "messages.0", "user", 0), Tag("<image>", "messages.1", "assistant", 12)),
        2,
        fits=False,
    )
    (found,) = findings(row((32, 16)), row((16, 0), number=1), tags=tags(quoting))
    assert found.rule == "DL401"
    assert found.message == (
        "1 sample of 8 has another number of `<image>` tags than of images: index 3 has 2 tags (user at 0, assistant at 12) "
        "for 1 image"
    )
    other = row((32, 16), batch=1)
    assert told(row((16, 0)), other, tags=tags(quoting)) == [("DL401", "error"), ("DL403", "error")]


def test_a_tag_that_did_no_harm_is_a_note() -> None:
    """The batch fits all the same; without that knowledge a tag too few may be added by the template."""
    harmless = TaggedSample(3, 1, (), 2, fits=True)
    assert told(row((16, 16)), tags=tags(harmless)) == [("DL401", "info")]
    unknown = Stream("image", "pixel_values", why="no id could be told", rows=0)
    missing = TaggedSample(3, 1, (), 0)
    assert told(stream=unknown, tags=tags(missing)) == [("DL401", "warning")]
    assert told(stream=unknown, tags=tags(missing, agreeing=8)) == [("DL401", "error")]
    assert told(stream=unknown, tags=tags(replace(missing, count=2))) == [("DL401", "error")]


def test_one_placeholder_an_image_is_a_count() -> None:
    """Not a run."""
    one = replace(STREAM, tie="one", unit="one each")
    (found,) = findings(row((1, 1), (1, 0)), stream=one)
    assert (found.rule, found.facts["placeholders"], found.facts["images"]) == ("DL401", 2, 1)


def test_a_wrong_grid_owns_the_runs_of_its_batch() -> None:
    """The runs differ because the grid does."""
    grid = CountField("image_grid_thw", "pixel_values", "grid", 2, 1, True, (CountMismatch(0, 64, 80),))
    (found,) = findings(row((20, 16)), counts=(grid,))
    assert found.rule == "DL407"
    assert found.message == (
        "in batch 0 the numbers in `image_grid_thw` add up to 64 patches and `pixel_values` has 80 (1 batch of 2 differs)"
    )
    assert told(row((20, 16), batch=1), counts=(grid,)) == [("DL403", "error"), ("DL407", "error")]


def test_a_count_that_was_never_right_may_count_something_else() -> None:
    """Both readings."""
    field = CountField("num_images", "pixel_values", "counts", 2, 0, False, (CountMismatch(0, 7, 3),))
    (found,) = findings(row((16, 16)), counts=(field,))
    assert found.level.value == "info"
    assert found.message == (
        "in batch 0 the numbers in `num_images` add up to 7 images and `pixel_values` has 3 (1 batch of 2 differs); no "
        "batch was ever equal, so the field may count something else"
    )


def test_values_alone_do_not_outweigh_most_rows() -> None:
    """Where the id was guessed and most rows contradict it, it is a note."""
    guessed = replace(STREAM, known_by="values", rows=2)
    assert told(row((15, 16)), row((16, 16)), stream=guessed) == [("DL403", "error")]
    assert told(row((15, 16)), row((15, 16), number=1), stream=guessed) == [("DL403", "info")]


def test_without_a_rule_nothing_is_judged_and_it_is_said() -> None:
    """The reason is the stream's."""
    seen = PlaceholdersEvidence((Stream("image", "pixel_values", why="no rule explains it"),))
    said = [list(check.judge(Case(Evidence(placeholders=seen)))) for check in CHECKS[:3]]
    assert [(one.status, one.reason) for (one,) in said] == [
        ("insufficient-evidence", "no rule explains it")
    ] * 3
    nothing = Case(Evidence(placeholders=PlaceholdersEvidence()))
    assert [next(iter(check.judge(nothing))).status for check in CHECKS] == ["not-applicable"] * 4
