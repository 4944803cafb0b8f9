"""DL205, DL219, DL404, DL405, DL406, DL408, DL410 and DL411 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dldoctor.checks.alignment_differs_by_workers import AlignmentDiffersByWorkers
from dldoctor.checks.annotation_size_mismatch import AnnotationSizeMismatch
from dldoctor.checks.base import Case, Check
from dldoctor.checks.box_invalid import BoxInvalid
from dldoctor.checks.collate_misaligned import CollateMisaligned
from dldoctor.checks.exif_ignored import ExifIgnored
from dldoctor.checks.mask_interpolated import MaskInterpolated
from dldoctor.checks.pair_order import PairOrder
from dldoctor.checks.paired_transform_desync import PairedTransformDesync
from dldoctor.checks.time_misaligned import TimeMisaligned
from dldoctor.evidence import Evidence
from dldoctor.evidence.alignment import (
    AlignmentEvidence,
    ApartItem,
    CollateTrace,
    Misplaced,
    PartsEvidence,
    ReadTogether,
    TracedField,
    WorkerPairs,
)
from dldoctor.evidence.annotations import AnnotationEvidence, BoxRow, MaskRow, OtherSize
from dldoctor.evidence.file_pairs import (
    CarriedText,
    FilePairs,
    FrameOrder,
    ListedTexts,
    OrientationEvidence,
    StrayText,
    TurnedPicture,
    WrongPair,
)
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.paired_transforms import ApartTransform, BlendedMask, PairedTransforms
from dldoctor.evidence.times import TimeEvidence, TimeRow
from dldoctor.finding import Finding, Level, Remark, StreamPosition, Unjudged
from dldoctor.intent import Inferred, Intent

SPEC = LoaderSpec("map", "DataLoader", "Pairs", "loader", num_workers=2)
FIRST = Misplaced(0, (0, 1, 2), 1, 2, 3, "caption", "image", {"image": (0, 1, 2), "caption": (0, 2, 1)})
TRACE = CollateTrace(2, 6, 6, 2, 1, (TracedField("image", 6, 6), TracedField("caption", 6, 6)), (FIRST,))


def judge(
    check: Check,
    alignment: AlignmentEvidence,
    intent: Intent = Intent(),
    inferred: dict[str, Inferred] | None = None,
) -> list[object]:
    evidence = Evidence(loader=SPEC, alignment=alignment)
    return list(check.judge(Case(evidence, intent, inferred or {})))


def of_parts(check: Check, intent: Intent = Intent(), **parts: object) -> list[object]:
    return judge(check, AlignmentEvidence(parts=PartsEvidence(8, **parts)), intent)  # type: ignore[arg-type]


def test_items_that_a_batch_got_from_other_indices_are_named() -> None:
    """Before anything that the collate did with them."""
    seen = ReadTogether(20, 2, "image", 7, 3, 1)
    (found,) = judge(CollateMisaligned(), AlignmentEvidence(replace(TRACE, wrong=0, together=seen)))
    assert (found.level, found.samples) == (Level.ERROR, (7, 3))
    assert found.message == (
        "`__getitems__` returned 2 items of 20 with a part of another index: asked for index 7 at place 1 of a"
        " batch, it gave the `image` that `__getitem__` gives for index 3"
    )


@pytest.mark.parametrize(
    "trace",
    [
        replace(TRACE, wrong=0, mixed=True),
        replace(
            TRACE,
            wrong=0,
            fields=(
                TracedField("image", 8, 8, unjudged="more rows than the others", left_out=True),
                TracedField("target.a", 6, 6),
                TracedField("target.b", 6, 6),
            ),
        ),
    ],
)
def test_what_was_left_out_is_not_clean(trace: CollateTrace) -> None:
    """Blends, and a field that tells its samples beside fields of one other part."""
    (found,) = judge(CollateMisaligned(), AlignmentEvidence(trace))
    assert isinstance(found, Unjudged)
    assert found.status == "insufficient-evidence"


def test_the_first_wrong_row_is_named() -> None:
    """With the ids of both fields and the share."""
    (found,) = judge(CollateMisaligned(), AlignmentEvidence(TRACE))
    assert (found.level, found.samples) == (Level.ERROR, (0, 1, 2))
    assert found.message == (
        "2 rows of 6 (33%) hold fields of different samples: in batch 0 from row 1 on `caption` is of index 2"
        " beside `image` of index 1"
    )


def test_what_speaks_for_a_purpose_makes_it_a_note() -> None:
    """A twin, a flag, or rows that are blends."""
    for changed in (
        replace(TRACE, twins={"caption": "positive"}),
        replace(TRACE, told_by="match"),
        replace(TRACE, mixed=True),
    ):
        (found,) = judge(CollateMisaligned(), AlignmentEvidence(changed))
        assert found.level is Level.INFO


def test_labels_have_the_tokens_as_twin_and_are_wrong_all_the_same() -> None:
    """The labels of a language model hold what its tokens hold."""
    wrong = replace(TRACE, misplaced=(replace(FIRST, path="labels", against="ids"),), twins={"labels": "ids"})
    (found,) = judge(CollateMisaligned(), AlignmentEvidence(wrong))
    assert found.level is Level.ERROR


def test_what_could_not_be_compared_says_so() -> None:
    """No collate, one field, blends alone, a collate that takes nothing alone."""
    clean = replace(TRACE, rows=0, wrong=0, wrong_batches=0, misplaced=())
    cases = (
        (None, "not-applicable"),
        (replace(clean, fields=clean.fields[:1]), "not-applicable"),
        (replace(clean, mixed=True), "insufficient-evidence"),
        (replace(clean, unjudged="why"), "insufficient-evidence"),
    )
    for trace, status in cases:
        (found,) = judge(CollateMisaligned(), AlignmentEvidence(trace))
        assert found.status == status


def test_an_item_that_came_apart_names_its_worker() -> None:
    """And the index that the foreign part belongs to; without workers in force it is a note."""
    apart = WorkerPairs(64, 4, "fork", ("image", "text"), 3, (ApartItem(5, 1, {"image": 9, "text": 5}),))
    (found,) = judge(AlignmentDiffersByWorkers(), AlignmentEvidence(workers=apart))
    assert found.message.endswith("index 5 of worker 1 has `image` of index 9")
    assert judge(AlignmentDiffersByWorkers(), AlignmentEvidence(workers=replace(apart, apart=0))) == []


BOXES = BoxRow(3, "boxes", 10, 60, 40, False, None, {"xyxy": 1, "xywh": 0, "cxcywh": 0},
               {"xyxy": 0, "xywh": 4, "cxcywh": 9}, {"xyxy": (50.0, 5.0, 20.0, 38.0)})  # fmt: skip
RIGHT = replace(BOXES, sample=4, flat={}, outside={"xywh": 4, "cxcywh": 9}, example={})


def test_a_box_without_area_is_shown_in_the_format_that_fits_most() -> None:
    """One of twenty."""
    seen = AnnotationEvidence(8, 2, (BOXES, RIGHT))
    (found,) = of_parts(BoxInvalid(), annotations=seen)
    assert (found.level, found.samples) == (Level.ERROR, (3,))
    assert found.message == (
        "1 box of 20 (5%), read as xyxy (values), is wrong: 1 has no area; `boxes` of index 3 has [50, 5, 20, 38]"
        " in 60 x 40"
    )


def test_a_clean_verdict_on_a_guessed_format_says_so() -> None:
    """Where nothing names the format, the reader must know in which one the boxes are right."""
    row = replace(RIGHT, outside={"xyxy": 0, "xywh": 9, "cxcywh": 0})
    seen = AnnotationEvidence(8, 1, (row,))
    for check in (BoxInvalid(), AnnotationSizeMismatch()):
        assert of_parts(check, annotations=seen) == [
            Remark(
                "the 10 boxes were read as xyxy, the format in which most are right (as cxcywh too);"
                " `--box-format` declares it"
            )
        ]
    assert of_parts(BoxInvalid(), Intent(box_format="xyxy"), annotations=seen) == []


def test_a_declared_format_that_does_not_fit_is_held_against_one_that_does() -> None:
    """The advice names it."""
    seen = AnnotationEvidence(8, 1, (RIGHT,))
    (found,) = of_parts(BoxInvalid(), Intent(box_format="xywh"), annotations=seen)
    assert found.level is Level.ERROR
    assert "all are right as xyxy" in found.message
    assert not any(isinstance(one, Finding) for one in of_parts(BoxInvalid(), annotations=seen))


def test_boxes_that_fit_the_file_are_of_another_size() -> None:
    """DL408 speaks and DL219 does not."""
    bad = {"xyxy": 2, "xywh": 9, "cxcywh": 9}
    row = replace(RIGHT, outside=bad, others=(OtherSize("file", 120, 80, {"xyxy": 0}),), reach=110.0)
    seen = AnnotationEvidence(8, 1, (row,))
    (found,) = of_parts(AnnotationSizeMismatch(), annotations=seen)
    assert found.facts["annotated"] == [120, 80]
    assert of_parts(BoxInvalid(), annotations=seen) == []


def test_boxes_that_leave_every_size_belong_to_the_same_fault() -> None:
    """What leaves the picture and fits no size is told beside what fits another, and is not to be clipped."""
    other = replace(RIGHT, outside={"xyxy": 2, "xywh": 9, "cxcywh": 9})
    scaled = replace(other, sample=5, others=(OtherSize("file", 120, 80, {"xyxy": 0}),), reach=110.0)
    seen = AnnotationEvidence(8, 3, (other, scaled, replace(scaled, sample=6)))
    (found,) = of_parts(AnnotationSizeMismatch(), annotations=seen)
    assert found.message == (
        "in 2 samples boxes leave the picture and lie within another size of it: `boxes` of index 5, read as xyxy"
        " (values), leaves 60 x 40 and lies within 120 x 80, the size of its file; those of 1 other sample leave"
        " the picture and fit no size"
    )
    assert of_parts(BoxInvalid(), annotations=seen) == []
    turned = replace(scaled, others=(OtherSize("shown", 120, 80, {"xyxy": 0}),))
    (found,) = of_parts(
        BoxInvalid(), annotations=AnnotationEvidence(8, 3, (other, turned, replace(turned, sample=6)))
    )
    assert found.samples == (4,)


@pytest.mark.parametrize(("others", "reach"), [(4, 110.0), (0, 66.0)])
def test_a_larger_size_that_boxes_fit_by_chance_is_not_theirs(others: int, reach: float) -> None:
    """Few of those that are wrong fit it, or they leave the picture by little."""
    other = replace(RIGHT, outside={"xyxy": 2, "xywh": 9, "cxcywh": 9})
    scaled = replace(other, sample=5, others=(OtherSize("file", 140, 80, {"xyxy": 0}),), reach=reach)
    rows = (scaled, *(replace(other, sample=6 + number) for number in range(others)))
    seen = AnnotationEvidence(8, len(rows), rows)
    assert [
        one for one in of_parts(AnnotationSizeMismatch(), annotations=seen) if isinstance(one, Finding)
    ] == []
    (found,) = of_parts(BoxInvalid(), annotations=seen)
    assert found.facts["outside"] == 2 * len(rows)


def test_coordinates_that_may_be_thousandths_fit_any_large_file() -> None:
    """Models of documents take them so."""
    bad = {"xyxy": 9, "xywh": 9, "cxcywh": 9}
    row = replace(RIGHT, outside=bad, others=(OtherSize("file", 1654, 2339, {"xyxy": 0}),), reach=998.0)
    seen = AnnotationEvidence(8, 1, (row,))
    assert of_parts(AnnotationSizeMismatch(), annotations=seen) == []
    (found,) = of_parts(BoxInvalid(), annotations=seen)
    assert found.level is Level.INFO


@pytest.mark.parametrize(("size", "level"), [((15, 10), Level.INFO), ((50, 40), Level.ERROR)])
def test_masks_at_a_quarter_of_the_size_are_a_note(size: tuple[int, int], level: Level) -> None:
    """A whole factor in all samples."""
    masks = tuple(MaskRow(one, "mask", "mask", 60, 40, *size) for one in range(4))
    (found,) = of_parts(AnnotationSizeMismatch(), annotations=AnnotationEvidence(8, 0, (), 4, masks))
    assert found.level is level


PAIRS = FilePairs(8, 8, "name", 2, (WrongPair(0, "a/1.jpg", "b/2.png", "b/1.png"),), 8)


def test_listings_that_are_sorted_are_not_to_be_sorted() -> None:
    """The advice says what is left."""
    (found,) = of_parts(PairOrder(), files=replace(PAIRS, sorted_both=True))
    assert found.advice.endswith("both listings are sorted already.")


def test_a_wrong_partner_is_named_beside_the_right_one() -> None:
    """And numbers alone, a shift, or a drawn partner say less."""
    (found,) = of_parts(PairOrder(), files=PAIRS)
    assert found.level is Level.ERROR
    assert "opens a/1.jpg beside b/2.png, and b/1.png exists" in found.message
    levels = [
        of_parts(PairOrder(), files=one)[0].level  # type: ignore[attr-defined]
        for one in (
            replace(PAIRS, by="numbers"),
            replace(PAIRS, offset=1, partners=7),
            replace(PAIRS, drawn=True),
        )
    ]
    assert levels == [Level.WARNING, Level.INFO, Level.INFO]
    assert of_parts(PairOrder(), files=replace(PAIRS, wrong=0)) == []


TURNED = TurnedPicture(1, "p.jpg", 6, 60, 40, "stored")


def test_an_orientation_that_was_not_obeyed_is_a_warning_and_with_annotations_an_error() -> None:
    """What is unclear is no finding."""
    (found,) = of_parts(ExifIgnored(), orientation=OrientationEvidence(4, (TURNED,)))
    assert (found.level, found.facts["by_tag"]) == (Level.WARNING, {"6": 1})
    harmed = replace(TURNED, annotated_as="shown")
    (found,) = of_parts(ExifIgnored(), orientation=OrientationEvidence(4, (harmed,)))
    assert found.level is Level.ERROR
    assert (
        of_parts(ExifIgnored(), orientation=OrientationEvidence(4, (replace(TURNED, read_as="shown"),))) == []
    )
    (found,) = of_parts(
        ExifIgnored(), orientation=OrientationEvidence(4, (replace(TURNED, read_as="unclear"),))
    )
    assert found.status == "insufficient-evidence"


def rows(*seconds: tuple[float, float], last: float | None = None) -> TimeEvidence:
    return TimeEvidence(
        tuple(
            TimeRow(number, {"audio": one, "duration": other}, 8000, None if last is None else "ends", last)
            for number, (one, other) in enumerate(seconds)
        )
    )


def test_one_factor_in_all_samples_is_another_rate() -> None:
    """Three times too long."""
    (found,) = of_parts(TimeMisaligned(), times=rows((3.0, 1.0), (6.0, 2.0), (4.5, 1.5)))
    assert (found.level, found.facts["factor"]) == (Level.ERROR, 3.0)
    assert of_parts(TimeMisaligned(), times=rows((1.0, 1.1), (2.0, 2.0))) == []


def test_a_window_of_one_length_is_not_held_against_durations() -> None:
    """Times beyond its end are."""
    assert of_parts(TimeMisaligned(), times=rows((2.0, 1.0), (2.0, 5.0))) == []
    (found,) = of_parts(TimeMisaligned(), times=rows((2.0, 2.0), (2.0, 2.0), last=7.5))
    assert found.message.startswith("times of 2 samples of 2 lie beyond the end: `ends` reaches 7.5")


def test_boxes_of_another_size_are_not_also_moved_apart() -> None:
    """Boxes that were made for the size of the file cannot lie where the picture was moved to."""
    row = replace(
        RIGHT,
        outside={"xyxy": 2, "xywh": 9, "cxcywh": 9},
        others=(OtherSize("file", 120, 80, {"xyxy": 0}),),
        reach=110.0,
    )
    moved = PairedTransforms(
        "image", "boxes", "boxes", 20, 8, True, (ApartTransform(3, 7, "mirrored", None),)
    )
    parts = PartsEvidence(8, annotations=AnnotationEvidence(8, 1, (row,)))
    assert judge(PairedTransformDesync(), AlignmentEvidence(parts=parts, transforms=(moved,))) == []
    (found,) = judge(PairedTransformDesync(), AlignmentEvidence(transforms=(moved,)))
    assert isinstance(found, Finding)
    assert found.message == (
        "`boxes` does not follow `image` in 8 of 20 readings (40%): in index 3 the boxes do not lie where the"
        " picture was moved to"
    )


def test_a_text_that_was_carried_over_names_both_keys() -> None:
    """The archive tells whose text it is."""
    seen = CarriedText("caption", 60, 8, ((StreamPosition(0, 5), "0004", "0005"),))
    (found,) = of_parts(PairOrder(), carried=seen)
    assert isinstance(found, Finding)
    assert found.level is Level.ERROR
    assert found.message == (
        "`caption` of 8 samples of 60 is that of the sample before: worker 0 #5 has the text of key 0004, and key"
        " 0005, which follows it in the archive, has none"
    )


@pytest.mark.parametrize(
    ("changes", "level", "end"),
    [
        ({}, Level.ERROR, "which the list has for 2"),
        ({"by": "order"}, Level.WARNING, "the line of 2; the files were sorted as text, 10 before 2"),
        (
            {"drawn": True},
            Level.INFO,
            "which the list has for 2; the text is drawn at random, so it may be meant",
        ),
    ],
)
def test_a_text_that_a_list_has_for_another_file_is_told(
    changes: dict[str, Any], level: Level, end: str
) -> None:
    """At the level that the list allows: names, an order, or texts that change from read to read."""
    stray = StrayText(2, "a/10.jpg", "a red ball", "2")
    seen = replace(ListedTexts("a/list.csv", "text", 20, 18, (stray,)), **changes)
    (found,) = of_parts(PairOrder(), listed=seen)
    assert found.level is level
    assert found.message == (
        "the text of 18 samples of 20 (90%) belongs to another file by a/list.csv: index 2 opens a/10.jpg with "
        f"`a red ball`, {end}"
    )


def test_texts_that_agree_with_their_list_are_clean() -> None:
    """The rule judged."""
    assert of_parts(PairOrder(), listed=ListedTexts("a/list.csv", "text", 20)) == []


@pytest.mark.parametrize(("film", "level"), [(True, Level.ERROR), (False, Level.INFO)])
def test_frames_in_the_order_of_names_as_text_are_wrong_in_a_film(film: bool, level: Level) -> None:
    """A set of pictures has no order."""
    seen = FrameOrder(12, (0, 1, 2), "clips/a", ("f_1.jpg", "f_10.jpg", "f_2.jpg"), film=film)
    (found,) = of_parts(TimeMisaligned(), order=seen)
    assert isinstance(found, Finding)
    assert found.level is level
    assert found.message.startswith(
        "3 samples of 12 open numbered files in the order of their names as text: f_1.jpg, f_10.jpg, f_2.jpg in"
        " clips/a"
    )
    assert of_parts(TimeMisaligned(), order=replace(seen, wrong=())) == []


def test_values_between_two_classes_are_an_interpolated_mask() -> None:
    """From two readings on; where none was looked at, nothing is judged."""
    blend = BlendedMask(9, 0, 3, (1, 2), 0.074)
    seen = PairedTransforms("image", "mask", "mask", 55, 0, True, (), 55, 35, (blend,))
    (found,) = judge(MaskInterpolated(), AlignmentEvidence(transforms=(seen,)))
    assert isinstance(found, Finding)
    assert found.message == (
        "a mask of the two values 0 and 3 comes out with 1, 2 between them in 7.4% of the pixels of `mask` (index 9),"
        " in 35 of 55 readings: it is interpolated"
    )
    assert judge(MaskInterpolated(), AlignmentEvidence(transforms=(replace(seen, blended=1),))) == []
    (none,) = judge(MaskInterpolated(), AlignmentEvidence(transforms=(replace(seen, whole=0, blended=0),)))
    assert isinstance(none, Unjudged)


@pytest.mark.parametrize("check", [PairedTransformDesync(), AlignmentDiffersByWorkers(), MaskInterpolated()])
def test_a_probe_that_was_ended_says_nothing_of_what_it_did_not_ask(check: Check) -> None:
    """Not asked is not the same as not there."""
    (ended,) = judge(check, AlignmentEvidence(unfinished=True))
    (asked,) = judge(check, AlignmentEvidence())
    assert isinstance(ended, Unjudged)
    assert isinstance(asked, Unjudged)
    assert (ended.status, asked.status) == ("insufficient-evidence", "not-applicable")


def test_boxes_in_pixels_that_can_be_no_corners_are_a_note_with_both_readings() -> None:
    """Nothing is declared, and models of torchvision take corners."""
    row = BoxRow(
        3,
        "boxes",
        10,
        60,
        40,
        False,
        None,
        {"xyxy": 4, "xywh": 0, "cxcywh": 0},
        {"cxcywh": 3},
        {"xyxy": (30, 20, 9, 8)},
    )
    (found,) = of_parts(BoxInvalid(), annotations=AnnotationEvidence(8, 1, (row,)))
    assert isinstance(found, Finding)
    assert (found.level, found.facts["flat"], found.facts["format"]) == (Level.INFO, 4, "xywh")
    (shares,) = of_parts(BoxInvalid(), annotations=AnnotationEvidence(8, 1, (replace(row, normalised=True),)))
    assert isinstance(shares, Remark)
