"""Which part of a batch belongs to which row."""

from __future__ import annotations

import torch

from dldoctor.intent import Inferred
from dldoctor.probes.alignment.rows.split import rows_in, split


def roles(**named: str) -> dict[str, Inferred]:
    """Roles by path."""
    return {path: Inferred(role, 1.0, "declared") for path, role in named.items()}


def test_fields_with_one_entry_a_row():
    """Tensors and lists; a value of the whole batch belongs to no row."""
    held = {
        "x": torch.arange(6).reshape(3, 2),
        "names": ["a", "b", "c"],
        "step": 7,
        "longest": torch.tensor(2),
    }
    assert rows_in(held, {}, 3) == 3
    rows = split(held, {}, 3)
    assert [row.held["names"] for row in rows] == ["a", "b", "c"]
    assert [row.held["x"].tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    assert set(rows[0].held) == {"x", "names"}


def test_a_pack_has_rows_of_its_own():
    """Four samples in two rows are told by the ids."""
    held = {"ids": torch.zeros(2, 9), "cu": torch.arange(5)}
    assert rows_in(held, roles(ids="token_ids"), 4) == 2


def test_flat_boxes_are_given_to_the_rows_that_a_field_names():
    """With their classes."""
    held = {
        "image": torch.zeros(2, 3, 8, 8),
        "boxes": torch.arange(12.0).reshape(3, 4),
        "cls": torch.tensor([5, 6, 7]),
        "of": torch.tensor([0, 1, 1]),
    }
    rows = split(held, roles(image="pixel_values", boxes="boxes", cls="class_label", of="box_row"), 2)
    assert [row.held["cls"].tolist() for row in rows] == [[5], [6, 7]]
    assert [row.held["boxes"].shape[0] for row in rows] == [1, 2]


def test_pictures_one_after_another_are_counted_off():
    """A row without pictures has none; where the counts do not fit, nothing is guessed."""
    held = {
        "pixels": torch.arange(3.0).reshape(3, 1, 1, 1).expand(3, 3, 8, 8),
        "counts": torch.tensor([2, 0, 1, 0]),
    }
    known = roles(pixels="pixel_values", counts="image_counts")
    rows = split(held, known, 4)
    assert [[float(one[0, 0, 0]) for one in row.held.get("pixels", [])] for row in rows] == [
        [0, 1],
        [],
        [2],
        [],
    ]
    held["counts"] = torch.tensor([2, 0, 2, 0])
    assert [("pixels" in row.held) for row in split(held, known, 4)] == [False] * 4


def patched(picture: torch.Tensor, side: int, merge: int) -> torch.Tensor:
    """A picture as flattened patches of two equal frames, in blocks of merged ones."""
    tall, wide = picture.shape[1] // side, picture.shape[2] // side
    cut = picture.reshape(3, tall // merge, merge, side, wide // merge, merge, side)
    cut = cut.permute(1, 4, 2, 5, 0, 3, 6)[:, :, :, :, :, None].expand(-1, -1, -1, -1, -1, 2, -1, -1)
    return cut.reshape(tall * wide, -1)


def test_patches_become_the_picture_again():
    """As Qwen's processors lay them, and plain ones."""
    tall, wide = torch.arange(56) / 56, torch.arange(84) / 84
    picture = torch.stack([tall[:, None] * wide, tall[:, None] + 0 * wide, 0 * tall[:, None] + wide])
    other = picture.flip(2)[:, :28, :56]
    for merge in (1, 2):
        held = {
            "pixels": torch.cat([patched(picture, 14, merge), patched(other, 14, merge)]),
            "grid": torch.tensor([[1, 4, 6], [1, 2, 4]]),
            "ids": torch.zeros(2, 5),
        }
        rows = split(held, roles(pixels="pixel_values", grid="image_grid", ids="token_ids"), 2)
        assert torch.equal(rows[0].held["pixels"][0], picture)
        assert torch.equal(rows[1].held["pixels"][0], other)


def test_runs_of_placeholders_tell_pictures_apart():
    """Two in the first row, none in the second; where they are fewer than the pictures, nothing is guessed."""
    pixels = torch.arange(3.0).reshape(3, 1, 1, 1).expand(3, 3, 8, 8)
    ids = torch.tensor([[9, 9, 1, 9, 2], [1, 2, 3, 4, 0], [1, 9, 9, 9, 0]])
    known = roles(pixels="pixel_values", ids="token_ids")
    held = {"pixels": torch.cat([pixels, pixels]), "ids": torch.cat([ids, ids])[:4]}
    assert [("pixels" in row.held) for row in split(held, known, 4, {9})] == [False] * 4
    held = {"pixels": torch.cat([pixels, pixels[:2]]), "ids": torch.cat([ids, ids])[:4]}
    rows = split(held, known, 4, {9})
    assert [len(row.held.get("pixels", ())) for row in rows] == [2, 0, 1, 2]
