"""Boxes, keypoints and masks are shown where they lie on the picture."""

from __future__ import annotations

import base64
import io

import pytest
import torch
from PIL import Image

from dldoctor.evidence.row_media import RowBox
from dldoctor.intent import Intent
from dldoctor.probes.alignment.rows.marks import box_format, boxes_of, mask_of, points_of

SIZE = (200, 100)
CORNERS = torch.tensor([[20.0, 10.0, 120.0, 60.0]])
SAME = {
    "xyxy": [20.0, 10.0, 120.0, 60.0],
    "xywh": [20.0, 10.0, 100.0, 50.0],
    "cxcywh": [70.0, 35.0, 100.0, 50.0],
}


@pytest.mark.parametrize("form", SAME)
@pytest.mark.parametrize("normal", [False, True])
def test_each_format_is_the_same_box(form, normal):
    """In pixels, and in shares of the sides."""
    numbers = torch.tensor([SAME[form]])
    leaf = numbers / torch.tensor([200, 100, 200, 100]) if normal else numbers
    found = boxes_of("boxes", leaf, SIZE, (form, "declared"), ["cat (1)"], Intent(boxes_normalised=normal))
    assert found is not None
    assert found.boxes == (RowBox(0.1, 0.1, 0.5, 0.5, "cat (1)"),)


def test_fillers_are_no_boxes_and_labels_stay_with_theirs():
    """Rows of zeros and of -1 fill a table up."""
    leaf = torch.tensor([[0, 0, 0, 0], [20, 10, 120, 60], [-1, -1, -1, -1], [float("nan"), 0, 1, 1]])
    found = boxes_of("boxes", leaf, SIZE, ("xyxy", "values"), ["0", "1", "2", "3"], Intent())
    assert found is not None
    assert (found.count, [box.label for box in found.boxes]) == (1, ["1"])
    assert boxes_of("boxes", torch.zeros(0, 4), SIZE, ("xyxy", "values"), [], Intent()) is None


def test_the_format_is_declared_or_shown_by_values():
    """Where another format would fit too, that is said."""
    wide = torch.tensor([[150.0, 50.0, 190.0, 90.0]])
    assert box_format([(wide, SIZE)], Intent()) == ("xyxy", "values")
    assert box_format([(wide, SIZE)], Intent(box_format="xywh")) == ("xywh", "declared")
    assert box_format([(torch.tensor([[10.0, 10.0, 30.0, 30.0]]), SIZE)], Intent()) == (
        "xyxy",
        "xywh would fit too; --box-format settles it",
    )


def test_only_visible_keypoints_are_drawn():
    """The third number says so."""
    found = points_of("keypoints", torch.tensor([[100.0, 50.0, 2.0], [1.0, 1.0, 0.0]]), SIZE)
    assert found is not None
    assert (found.points, found.count) == (((0.5, 0.5),), 2)


def test_a_mask_keeps_its_values_when_it_is_made_small():
    """Each pixel is one of the picture: a border line of two classes makes no third."""
    plane = torch.zeros(40, 80, dtype=torch.long)
    plane[:, 40:] = 3
    found = mask_of("mask", plane, 20)
    assert found is not None
    assert (found.width, found.height, found.classes) == (80, 40, (0, 3))
    read = Image.open(io.BytesIO(base64.b64decode(found.png))).convert("RGBA")
    assert read.size == (20, 10)
    assert [read.getpixel((x, 5))[3] for x in (0, 9, 10, 19)] == [0, 0, 105, 105]


def test_planes_of_objects_lie_over_each_other():
    """The last one on top, as numbers from 1."""
    planes = torch.zeros(2, 8, 8, dtype=torch.uint8)
    planes[0], planes[1, :, 4:] = 1, 1
    found = mask_of("masks", planes, 8)
    assert found is not None
    assert found.classes == (1, 2)
