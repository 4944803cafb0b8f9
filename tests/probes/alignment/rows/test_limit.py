"""Media have a limit, each and all together, and what is left out is counted."""

from __future__ import annotations

from dldoctor.evidence.row_media import MediaRow, RowMask, RowPicture, RowSound
from dldoctor.probes.alignment.rows.limit import Room, Sizes, side_for, sizes_for

ROW = MediaRow(
    0, 0, 0, 7,
    pictures=(RowPicture("image", "x" * 60, 640, 480, "bytes as they are"),),
    masks=(RowMask("mask", "y" * 20, 640, 480, (0, 1)),),
    sounds=(RowSound("audio", "z" * 20, 16000, "field", 2.0, 1.0, (0.5,), 0.5),),
)  # fmt: skip


def test_more_rows_get_smaller_pictures_and_shorter_sounds():
    """As large as is useful for a few, and never too small to see anything."""
    assert [sizes_for(rows) for rows in (1, 24, 100, 1000, 5000)] == [
        Sizes(144, 3.0),
        Sizes(144, 3.0),
        Sizes(125, 2.21),
        Sizes(48, 0.5),
        Sizes(48, 0.5),
    ]
    assert sizes_for(24, 2) == Sizes(104, 1.54)


def test_pictures_of_one_row_share_its_room():
    """Four have half of the side each."""
    assert [side_for(144, count) for count in (1, 4, 100)] == [144, 72, 48]


def test_beyond_the_limit_rows_keep_their_numbers_but_no_media():
    """What was left out is counted; a later row that is small enough still fits."""
    room = Room(limit=150)
    first, second = room.fit(ROW), room.fit(ROW)
    assert first == ROW
    assert (second.pictures[0].png, second.masks[0].png, second.sounds[0].wav) == ("", "", "")
    assert (second.pictures[0].width, second.sounds[0].seconds) == (640, 2.0)
    assert room.fit(MediaRow(2, 0, 2, 9, masks=ROW.masks)).masks == ROW.masks
    assert (room.taken, room.without) == (120, 1)
