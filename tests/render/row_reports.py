"""A report with rows to look at: pictures, marks, a sound, hostile text."""

from __future__ import annotations

import base64
from dataclasses import replace

import torch

from dldoctor.evidence import Evidence
from dldoctor.evidence.alignment import AlignmentEvidence, CollateTrace, Misplaced
from dldoctor.evidence.row_media import (
    MediaRow,
    RowBox,
    RowBoxes,
    RowFact,
    RowMask,
    RowMediaEvidence,
    RowPicture,
    RowPoints,
    RowSound,
    RowText,
    TextPiece,
)
from dldoctor.finding import Finding, Level
from dldoctor.probes.alignment.rows.png import palette_png, png
from dldoctor.probes.alignment.rows.wav import clip_of
from dldoctor.report import Report
from tests.render.reports import HOSTILE, report_of


def coded(data: bytes) -> str:
    """Bytes as text."""
    return base64.b64encode(data).decode()


PICTURE = RowPicture(
    "image", coded(png(torch.full((6, 12, 3), 90, dtype=torch.uint8))), 320, 160, "bytes as they are"
)
MASK = RowMask(
    "mask",
    coded(palette_png(torch.ones(6, 12, dtype=torch.long), [(0, 0, 0, 0), (9, 9, 9, 105)])),
    320,
    160,
    (0, 1),
)
CLIP = clip_of(torch.tensor([0.0, 0.5, -1.0, 0.25]), 8000)
SOUND = RowSound("audio", coded(CLIP.wav), 8000, "field", 3.0, 0.0005, CLIP.envelope, 1.0)
ROW = MediaRow(
    0, 0, 0, 0,
    own_id="photo/0",
    files=("images/0.jpg",),
    pictures=(PICTURE,),
    masks=(MASK,),
    boxes=(RowBoxes("boxes", "xyxy", "values", (RowBox(0.1, 0.1, 0.5, 0.5, "cat (1)"), RowBox(0.8, 0.2, 0.4, 0.3)), 2),),
    points=(RowPoints("keypoints", ((0.5, 0.5),), 3),),
    sounds=(SOUND,),
    texts=(
        RowText("ids", (TextPiece("<image>", "placeholder", 1, 16), TextPiece("a cat"), TextPiece("", "padding", 0, 3)), 21),
        RowText("caption", (TextPiece(HOSTILE[0]),)),
    ),
    labels=(RowFact("label", "cat (1)", "class_label"),),
    shapes=(RowFact("image", "3x160x320"),),
)  # fmt: skip


def rows_of(count: int) -> tuple[MediaRow, ...]:
    """So many rows, one a sample, in batches of 8."""
    return tuple(
        replace(
            ROW,
            number=at,
            batch=at // 8,
            row=at % 8,
            sample=at,
            own_id=f"photo/{at}",
            files=(f"images/{at}.jpg",),
        )
        for at in range(count)
    )


def with_rows(count: int = 60, *, without_media: int = 0) -> Report:
    """A report whose one finding names the rows 5 and 40; row 3 of the first batch holds a field of row 4."""
    finding = Finding(
        "DL219", "box-invalid", Level.ERROR, "2 boxes leave the picture.", "Clip them.", samples=(5, 40)
    )
    swapped = {"caption": (0, 1, 2, 4, 3, 5, 6, 7), "image": tuple(range(8))}
    wrong = Misplaced(0, tuple(range(8)), 3, 2, 8, "caption", "image", swapped)
    return report_of(
        Evidence(
            alignment=AlignmentEvidence(CollateTrace(1, 8, 8, 2, 1, (), (wrong,))),
            row_media=RowMediaEvidence(rows_of(count), count, 5000, 6 * 2**20, without_media),
        ),
        [finding],
        command="check-alignment",
    )
