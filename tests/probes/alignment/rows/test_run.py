"""The whole way: from a loader to rows of which each pixel, mark and word is known."""

from __future__ import annotations

import base64
import importlib.util
import io
from typing import Any

import pytest
from PIL import Image

from dldoctor.diagnose import diagnose_object
from dldoctor.evidence.row_media import RowBox, RowMediaEvidence, TextPiece
from dldoctor.intent import Limits, TargetOptions
from dldoctor.report import Report
from dldoctor.request import Request

pytestmark = pytest.mark.slow

SOURCE = '''
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

MEAN, STD = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])


def levels(index):
    return torch.randint(0, 256, (3, 24, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(index))


def boxes(index):
    """One or two boxes, the second of the same size to the right."""
    first = torch.tensor([[4.0, 6.0, 12.0, 12.0]])
    return torch.cat([first, first + torch.tensor([[12.0, 0.0, 12.0, 0.0]])]) if index % 2 else first


class Photos(Dataset):
    def __init__(self):
        self.classes = ["cat", "dog"]

    def __len__(self):
        return 40

    def __getitem__(self, index):
        image = ((levels(index).float() / 255 - MEAN[:, None, None]) / STD[:, None, None])
        return {"id": f"p{index}", "image": image, "boxes": boxes(index),
                "labels": torch.full((1 + index % 2,), index % 2), "caption": f"photo number {index} <b>"}


def collate(samples):
    batch = {name: [one[name] for one in samples] for name in samples[0]}
    return {**batch, "image": torch.stack(batch["image"])}


def by_boxes(samples):
    return collate(sorted(samples, key=lambda one: -len(one["boxes"])))


def moved(samples):
    batch = collate(samples)
    return {**batch, "caption": batch["caption"][1:] + batch["caption"][:1]}


class Stream(IterableDataset):
    def __iter__(self):
        photos = Photos()
        return (photos[index] for index in range(40))


def make(fn=collate):
    return DataLoader(Photos(), batch_size=8, shuffle=True, collate_fn=fn)


def plain(): return make()
def ordered(): return make(by_boxes)
def misaligned(): return make(moved)
def stream(): return DataLoader(Stream(), batch_size=8, collate_fn=collate)
def packed(): return make(lambda samples: {"image": torch.cat([one["image"].mean(0) for one in samples])[None]})


def refusing():
    def collate(samples):
        raise ValueError("no")
    return make(collate)


class Deadly(Photos):
    def __getitem__(self, index):
        import os
        os._exit(3)


def deadly(): return DataLoader(Deadly(), batch_size=8, collate_fn=collate)
'''  # fmt: skip


@pytest.fixture(scope="module")
def photos(tmp_path_factory) -> Any:
    """The module of the pipelines."""
    path = tmp_path_factory.mktemp("rows") / "photos.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("photos", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report_of(loader: Any, rows: int = 8, probes: tuple[str, ...] = ("rows",), **limits: Any) -> Report:
    """The report of a loader, from some of the command's probes."""
    request = Request(
        "check-alignment", TargetOptions("<photos>"), limits=Limits(**limits), options={"rows": rows}
    )
    return diagnose_object(loader, request, probes=probes)


def media(report: Report) -> RowMediaEvidence:
    """Its rows."""
    assert report.evidence.row_media is not None, report.evidence.missing
    return report.evidence.row_media


def test_a_row_is_what_the_model_gets(photos):
    """Pixels to the bit, boxes as shares, classes by name, text as it is."""
    found = media(report_of(photos.plain(), ids=(3, 8)))
    assert [(row.sample, row.own_id, row.batch, row.row) for row in found.rows] == [
        (3, "p3", 0, 0),
        (8, "p8", 0, 1),
    ]
    row = found.rows[0]
    (picture,) = row.pictures
    read = Image.open(io.BytesIO(base64.b64decode(picture.png)))
    assert read.tobytes() == photos.levels(3).permute(1, 2, 0).numpy().tobytes()
    assert "ImageNet" in picture.shown_as
    assert row.boxes[0].boxes == (
        RowBox(0.125, 0.25, 0.25, 0.25, "dog (1)"),
        RowBox(0.5, 0.25, 0.25, 0.25, "dog (1)"),
    )
    assert row.texts[0].pieces == (TextPiece("photo number 3 <b>"),)
    assert (found.without_media, found.notes) == (0, ())


def test_sorted_rows_keep_their_ids(photos):
    """A collate that sorts whole samples is right, and the page says so."""
    found = media(report_of(photos.ordered()))
    assert len(found.rows) == 8
    assert all(row.own_id == f"p{row.sample}" for row in found.rows)
    counts = [row.boxes[0].count for row in found.rows]
    assert counts == sorted(counts, reverse=True)


def test_a_misaligned_batch_comes_first_and_shows_its_fault(photos):
    """The caption of a row is that of the next sample."""
    report = report_of(photos.misaligned(), 12, ("alignment", "rows"))
    found = media(report)
    assert "DL404" in {one.rule for one in report.findings}
    first = [row for row in found.rows if row.batch == 0]
    assert len(first) == 8
    assert all(row.suspect for row in first)
    samples = [row.sample for row in first]
    shown = [row.texts[0].pieces[0].text for row in first]
    assert shown == [f"photo number {sample} <b>" for sample in [*samples[1:], samples[0]]]


def test_a_seed_makes_the_same_rows_again(photos):
    """The order of the loader, and which samples are chosen."""
    again = [media(report_of(photos.misaligned(), 8, ("alignment", "rows"), seed=4)) for _ in range(2)]
    assert again[0] == again[1]


def test_a_stream_has_positions(photos):
    """The first samples that it yields."""
    found = media(report_of(photos.stream()))
    assert [str(row.sample) for row in found.rows[:2]] == ["worker 0 #0", "worker 0 #1"]
    assert [row.own_id for row in found.rows] == [f"p{at}" for at in range(8)]


def test_a_collate_that_refuses_leaves_the_samples(photos):
    """And says so."""
    found = media(report_of(photos.refusing(), ids=(1, 2)))
    assert [(row.sample, row.own_id, len(row.pictures)) for row in found.rows] == [(1, "p1", 1), (2, "p2", 1)]
    assert found.notes == ("the collate raised ValueError: its rows are shown as the samples have them",)


def test_a_process_that_dies_leaves_no_rows_and_a_reason(photos):
    """The rest of the report stands."""
    report = report_of(photos.deadly())
    assert report.evidence.row_media is None


def test_nothing_is_read_where_no_rows_are_asked_for(photos):
    """As in a checkup."""
    assert report_of(photos.plain(), rows=0).evidence.row_media is None
