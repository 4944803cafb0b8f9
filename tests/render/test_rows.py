"""Rows to look at, as content, on 80 columns and as HTML."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.evidence import Evidence
from dldoctor.evidence.row_media import RowBox, RowMediaEvidence, RowPicture
from dldoctor.render.content.row_pictures import BoxView, colours_of, picture_views
from dldoctor.render.content.rows import cards, lines, section
from dldoctor.render.html import page
from dldoctor.render.terminal import plain
from dldoctor.report import dumps, loads
from tests.render.reports import HOSTILE, report_of
from tests.render.row_reports import ROW, with_rows


def test_rows_that_a_finding_names_come_first():
    """Each with the rule; the others stay in their order."""
    made = cards(with_rows(60))
    assert [card.title for card in made[:4]] == [
        "sample 5: batch 0, row 5",
        "sample 40: batch 5, row 0",
        "sample 0: batch 0, row 0",
        "sample 1: batch 0, row 1",
    ]
    assert [rule.text for card in made for rule in card.rules] == ["DL219 box-invalid"] * 2


def test_a_row_says_which_field_is_of_another_sample():
    """Only in the very batch that was traced."""
    notes = {card.title: card.notes for card in cards(with_rows(16)) if card.notes}
    assert notes == {
        "sample 3: batch 0, row 3": ("`caption` comes from sample 4",),
        "sample 4: batch 0, row 4": ("`caption` comes from sample 3",),
    }


def test_marks_lie_on_the_picture_and_what_leaves_it_is_cut():
    """In units of 200 on the longer side; a label has one colour in all rows."""
    view = picture_views(ROW, colours_of([ROW]))[0]
    assert (view.width, view.height, len(view.masks), view.points) == (200, 100, 1, ((100.0, 50.0),))
    assert view.boxes == (
        BoxView(20.0, 10.0, 100.0, 50.0, "cat (1)", 22.0, 1, False),
        BoxView(160.0, 20.0, 46.0, 30.0, "", 17.0, 0, True),
    )


def test_a_box_that_runs_backwards_is_drawn():
    """It is wrong, and that is what one must see."""
    row = replace(ROW, boxes=(replace(ROW.boxes[0], boxes=(RowBox(0.5, 0.5, -0.3, -0.2),)),))
    box = picture_views(row, colours_of([row]))[0].boxes[0]
    assert (box.x, box.y, box.width, box.height) == (40.0, 30.0, 60.0, 20.0)


def test_frames_say_their_time():
    """And nothing is drawn over them."""
    frame = RowPicture("video", "", 64, 64, "bytes as they are", at_s=1.5, frame=12, frames=30)
    view = picture_views(replace(ROW, pictures=(frame,)), colours_of([ROW]))[0]
    assert (view.caption, view.source, view.marked) == ("video: frame 12 of 30 at 1.5 s", "", False)


def test_facts_of_a_row():
    """Ids, files, labels and how boxes were read."""
    assert cards(with_rows(1))[0].facts == (
        ("id", "photo/0"),
        ("file", "images/0.jpg"),
        ("label", "cat (1)"),
        ("boxes", "2 boxes (xyxy by values)"),
        ("keypoints", "1 of 3 keypoints visible"),
        ("mask", "mask of 320x160, values 0, 1"),
        ("shapes", "image 3x160x320"),
    )
    sound = cards(with_rows(1))[0].sounds[0]
    assert sound.caption == "audio: the first 0.0005 of 3 s, 8,000 Hz"
    assert sound.outline.count("M") == 4


def test_what_was_left_out_is_said():
    """With the limit."""
    report = with_rows(2, without_media=1)
    assert report.evidence.row_media is not None
    assert lines(report.evidence.row_media) == (
        "pictures and sounds of 1 row are left out: all together may take 6.3 MB; ask for less with --rows or --ids",
    )


def test_no_rows_no_section():
    """Neither where none were asked for nor where none could be read."""
    assert section(report_of(Evidence(), [])) is None
    assert section(report_of(Evidence(row_media=RowMediaEvidence()), [])) is None
    assert 'id="rows"' not in page(report_of(Evidence(), []))


def test_the_page_can_be_drawn_again_from_the_json():
    """Media are in the report."""
    report = with_rows(3)
    assert page(loads(dumps(report))) == page(report)


def test_the_page_loads_nothing_and_its_text_is_escaped():
    """Only data URIs; a caption with markup is text."""
    shown = page(with_rows(3))
    assert "media-src data:" in shown
    assert HOSTILE[0] not in shown
    assert shown.count('<audio controls preload="none" src="data:audio/wav;base64,') == 3


def test_the_terminal_shows_a_few_rows_on_80_columns():
    """The named first; placeholders numbered, padding left out."""
    text = plain(with_rows(60))
    start = text.index("Rows  60 rows to look at")
    shown = text[start : text.index("\n\n", start)].splitlines()
    assert max(map(len, shown)) <= 80
    assert shown[:5] == [
        "Rows  60 rows to look at",
        "  sample 5: batch 0, row 5 [DL219]",
        "  id       photo/5, images/5.jpg",
        "  media    image 320x160, audio 3 s, boxes 2 boxes, mask mask 320x160",
        "  text     [1: <image> x16]a cat",
    ]
    assert shown[-1] == "  and 56 more rows (-o page.html shows them with their media)"
