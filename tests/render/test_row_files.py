"""Rows as files: names lead nowhere, order and content are fixed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dldoctor.evidence import Evidence
from dldoctor.evidence.row_media import RowMediaEvidence
from dldoctor.finding import StreamPosition
from dldoctor.render.row_files import name_of, row_files
from tests.render.reports import report_of
from tests.render.row_reports import CLIP, ROW, with_rows


def of(*rows):
    """The files of some rows."""
    return row_files(report_of(Evidence(row_media=RowMediaEvidence(tuple(rows))), []))


def test_each_row_has_its_media_and_a_line():
    """PNG, WAV and text, and all else in one file."""
    files = row_files(with_rows(6))
    assert list(files)[:5] == [
        "00000-photo_0-image-image.png",
        "00000-photo_0-mask-mask.png",
        "00000-photo_0-audio-audio.wav",
        "00000-photo_0-text-ids.txt",
        "00000-photo_0-text-caption.txt",
    ]
    assert len(files) == 6 * 5 + 1
    assert files["00000-photo_0-audio-audio.wav"] == CLIP.wav
    assert files["00000-photo_0-text-ids.txt"] == b"[1: <image> x16]a cat[padding x3]\n"
    lines = [json.loads(line) for line in files["rows.jsonl"].splitlines()]
    assert [(line["number"], line["sample"], line["rules"]) for line in lines] == [
        (0, 0, []),
        (1, 1, []),
        (2, 2, []),
        (3, 3, []),
        (4, 4, []),
        (5, 5, ["DL219"]),
    ]
    assert lines[0]["media"] == list(files)[:5]
    assert lines[0]["boxes"][0]["boxes"][0]["label"] == "cat (1)"
    assert "png" not in lines[0]["pictures"][0]
    assert "wav" not in lines[0]["sounds"][0]


def test_equal_rows_give_equal_bytes():
    """So that two commits can be compared."""
    assert row_files(with_rows(6)) == row_files(with_rows(6))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a/b.jpg", "a_b.jpg"),
        ("../../etc/passwd", "etc_passwd"),
        ("/abs", "abs"),
        ("..", "row"),
        ("", "row"),
        ("C:\\x\x00y", "C_x_y"),
        ("äöü", "row"),
        ("x" * 90, "x" * 48),
        (".hidden", "hidden"),
        ("a..b", "a.b"),
    ],
)
def test_names_lead_nowhere(text, name):
    """Whatever an id holds."""
    assert name_of(text) == name


def test_hostile_ids_stay_within_the_folder():
    """And equal names of one row are numbered."""
    row = replace(
        ROW, own_id="../../../x", pictures=(*ROW.pictures, *ROW.pictures), masks=(), sounds=(), texts=()
    )
    assert list(of(row)) == ["00000-x-image-image.png", "00000-x-image-image-2.png", "rows.jsonl"]


def test_streams_and_rows_without_a_sample():
    """A position is written out; no sample is null."""
    files = of(
        replace(ROW, own_id="", sample=StreamPosition(1, 7)), replace(ROW, number=1, own_id="", sample=None)
    )
    assert next(iter(files)) == "00000-worker_1_7-image-image.png"
    assert [json.loads(line)["sample"] for line in files["rows.jsonl"].splitlines()] == ["worker 1 #7", None]


def test_media_that_were_left_out_make_no_files():
    """The line says what there is."""
    row = replace(ROW, pictures=(replace(ROW.pictures[0], png=""),), masks=(), sounds=(), texts=())
    assert list(of(row)) == ["rows.jsonl"]
    assert row_files(report_of(Evidence(), [])) == {}
