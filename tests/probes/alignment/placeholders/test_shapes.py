"""Batches in the shapes of other trainers: one id an image, numbered ids, dummies, lists, sound, films."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dldoctor.evidence.labels import Vocabulary
from dldoctor.evidence.placeholders import PlaceholdersEvidence, Stream
from dldoctor.intent import Intent
from dldoctor.probes.alignment.placeholders.collect import PlaceholderCollector
from dldoctor.probes.alignment.placeholders.known import Known
from dldoctor.probes.alignment.placeholders.notes import TAGS, note_of

Batch = dict[str, Any]
BEFORE_EXPANSION = -200


def words(seed: int, count: int) -> list[int]:
    return torch.randint(20, 900, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def padded(rows: list[list[int]]) -> torch.Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def images(seed: int, *shape: int) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def seen(batches: list[Batch], known: Known | None = None, **intent: Any) -> PlaceholdersEvidence:
    declared = Intent(**intent)
    collector = PlaceholderCollector(
        declared, Vocabulary(pad=0, eos=1), known or Known(pad=0, declared=declared.image_token_id)
    )
    for batch in batches:
        collector.take(batch, range(len(batch["input_ids"])), ())
    return collector.evidence()


def tie(evidence: PlaceholdersEvidence) -> tuple[Any, ...]:
    """Return the media, the tie, its unit, how the id is known and how many rows are wrong, of each stream."""

    def told(one: Stream) -> tuple[Any, ...]:
        return (one.media, one.tie, one.unit, one.known_by, one.wrong_rows)

    return tuple(told(one) for one in evidence.streams)


def llava(seed: int, *, drop: bool = False) -> Batch:
    """One id of -200 an image in the ids; a zero image for rows of text alone."""
    rows = [
        [*words(seed * 9 + row, 8), *([] if row == 2 else [BEFORE_EXPANSION]), *words(seed + row, 9)]
        for row in range(4)
    ]
    pixels = images(seed, 4, 3, 28, 28)
    pixels[2] = 0
    return {"input_ids": padded(rows), "images": pixels[2:] if drop else pixels}


def test_one_negative_id_an_image_with_a_dummy_for_text() -> None:
    """LLaVA before the model expands: four images, three placeholders, and that is right."""
    evidence = seen([llava(seed) for seed in range(4)])
    assert tie(evidence) == (("image", "one", "one each", "negative", 0),)
    assert evidence.streams[0].dummies == 4
    evidence = seen([llava(0), llava(1, drop=True), llava(2), llava(3)])
    assert [row.batch for row in evidence.rows if not row.fits] == [1]


def test_numbered_negative_ids() -> None:
    """Phi-3-V: the first image is so many -1, the second so many -2."""

    def batch(seed: int, held: int = 5) -> Batch:
        rows = [
            [*words(seed + row, 8), *[-1] * (12 + row), *words(seed, 3), *([-2] * 9 if row % 2 else [])]
            for row in range(3)
        ]
        return {"input_ids": padded(rows), "pixel_values": images(seed, held, 3, 28, 28)}

    evidence = seen([batch(seed, 4) for seed in range(4)])
    assert tie(evidence) == (("image", "numbered", "one id each", "negative", 0),)


def test_a_dummy_that_has_placeholders_under_mask_zero() -> None:
    """A white image with its tokens is appended to a row: placeholders count whatever the mask says."""

    def batch(seed: int) -> Batch:
        rows = [[*words(seed + row, 9 + row), *[7] * 16, *words(seed, 4)] for row in range(2)]
        rows[0] += [7] * 16
        ids = padded(rows)
        mask = (ids != 0).long()
        mask[0, len(rows[0]) - 16 : len(rows[0])] = 0
        white = torch.ones(64, 588)
        return {
            "input_ids": ids, "attention_mask": mask,
            "pixel_values": torch.cat([images(seed, 64, 588), white, images(seed + 1, 64, 588)]),
            "image_grid_thw": torch.tensor([[1, 8, 8]] * 3),
        }  # fmt: skip

    evidence = seen([batch(seed) for seed in range(3)])
    assert tie(evidence) == (("image", "grid", "image_grid_thw / 2^2", "values", 0),)
    assert evidence.streams[0].dummies == 3


def test_flags_turn_dummies_off() -> None:
    """InternVL: tiles end to end, a white one with flag 0 for text."""

    def batch(seed: int, flags: list[int]) -> Batch:
        rows = [
            [*words(seed + row, 9), *[7] * (4 * tiles), *words(seed, 5)]
            for row, tiles in enumerate((2, 0, 3))
        ]
        return {
            "input_ids": padded(rows), "pixel_values": images(seed, 6, 3, 28, 28), "image_flags": torch.tensor(flags),
        }  # fmt: skip

    right = [batch(seed, [1, 1, 0, 1, 1, 1]) for seed in range(3)]
    evidence = seen(right, image_token_id=(7,))
    assert tie(evidence) == (("image", "tiles", "4 each", "declared", 0),)
    assert evidence.streams[0].dummies == 3
    assert [(one.path, one.kind, one.equal) for one in evidence.counts] == [("image_flags", "flags", 3)]


def test_lists_of_tiles_for_each_row() -> None:
    """nanoVLM: a list of images for each row, each of its own tiles."""

    def batch(seed: int) -> Batch:
        rows, held = [], []
        for row, tiles in enumerate(((1,), (), (3, 1))):
            ids = words(seed + row, 9)
            for count in tiles:
                ids += [7] * (16 * count) + words(seed, 3)
            rows.append(ids)
            held.append([images(seed + count, count, 3, 28, 28) for count in tiles])
        return {"input_ids": padded(rows), "images": held}

    evidence = seen([batch(seed) for seed in range(3)], image_token_id=(7,))
    assert tie(evidence) == (("image", "tiles", "16 a tile", "declared", 0),)


@pytest.mark.parametrize("by_frame", [False, True])
def test_films_in_one_run_or_a_run_for_each_frame(*, by_frame: bool) -> None:
    """A grid of frames; with time stamps between the frames there are as many runs as frames."""

    def batch(seed: int) -> Batch:
        frames = [words(seed + at, 2) * by_frame + [8] * 4 for at in range(3)]
        rows = [
            [*words(seed + row, 9), *(one for frame in frames for one in frame), *words(row, 4)]
            for row in range(2)
        ]
        return {
            "input_ids": padded(rows), "pixel_values_videos": images(seed, 96, 1176),
            "video_grid_thw": torch.tensor([[3, 4, 4]] * 2),
        }  # fmt: skip

    known = Known(pad=0, named=((8, "<|video_pad|>"),))
    assert tie(seen([batch(seed) for seed in range(3)], known)) == (
        ("video", "grid", "video_grid_thw / 2^2", "tokenizer", 0),
    )


def test_sound_by_the_mask_over_its_frames() -> None:
    """Qwen2-Audio: halved by a convolution, then by pooling."""

    def batch(seed: int, lost: int = 0) -> Batch:
        lengths = [100 + 40 * (seed % 3), 180]
        rows = [
            [*words(seed + row, 9), *[9] * (((length - 1) // 2 + 1 - 2) // 2 + 1 - lost), *words(row, 4)]
            for row, length in enumerate(lengths)
        ]
        mask = torch.tensor([[1] * length + [0] * (200 - length) for length in lengths])
        return {
            "input_ids": padded(rows),
            "input_features": images(seed, 2, 128, 200),
            "feature_attention_mask": mask,
        }

    known = Known(pad=0, named=((9, "<|AUDIO|>"),))
    right = [batch(seed) for seed in range(4)]
    unit = "feature_attention_mask, halved by a convolution and by pooling"
    assert tie(seen(right, known)) == (("audio", "lengths", unit, "tokenizer", 0),)
    assert tie(seen([*right, batch(1, lost=1)], known)) == (("audio", "lengths", unit, "tokenizer", 2),)


def test_image_and_film_in_one_row_are_counted_apart() -> None:
    """Two ids, two grids."""

    def batch(seed: int) -> Batch:
        rows = [
            [*words(seed + row, 9), *[7] * 4, *words(row, 3), *[8] * 8, *words(row, 4)] for row in range(2)
        ]
        return {
            "input_ids": padded(rows),
            "pixel_values": images(seed, 32, 1176), "image_grid_thw": torch.tensor([[1, 4, 4]] * 2),
            "pixel_values_videos": images(seed + 1, 64, 1176), "video_grid_thw": torch.tensor([[2, 4, 4]] * 2),
        }  # fmt: skip

    known = Known(pad=0, named=((7, "<|image_pad|>"), (8, "<|video_pad|>")))
    assert [(one[0], one[1], one[4]) for one in tie(seen([batch(seed) for seed in range(3)], known))] == [
        ("image", "grid", 0), ("video", "grid", 0),
    ]  # fmt: skip


def test_images_beside_captions_have_no_placeholder() -> None:
    """CLIP: one image and one text a row; no id is taken for a placeholder."""

    def batch(seed: int) -> Batch:
        return {
            "input_ids": padded([words(seed * 7 + row, 9 + row) for row in range(4)]),
            "pixel_values": images(seed, 4, 3, 28, 28),
        }

    evidence = seen([batch(seed) for seed in range(3)])
    assert tie(evidence) == (("image", None, "", None, 0),)


def test_a_declared_merge_size_is_believed() -> None:
    """Every run is short by one: the declared arithmetic says so, the values alone would not."""

    def batch(seed: int) -> Batch:
        rows = [[*words(seed + row, 9), *[7] * 15, *words(row, 4)] for row in range(2)]
        return {
            "input_ids": padded(rows), "pixel_values": images(seed, 128, 588),
            "image_grid_thw": torch.tensor([[1, 8, 8]] * 2),
        }  # fmt: skip

    batches = [batch(seed) for seed in range(3)]
    assert tie(seen(batches, image_token_id=(7,)))[0][1] is None
    known = Known(pad=0, declared=(7,), merge=(2,), merge_declared=True)
    assert tie(seen(batches, known, image_token_id=(7,))) == (
        ("image", "grid", "image_grid_thw / 2^2", "declared", 6),
    )


def test_two_crops_of_each_image_are_no_fault() -> None:
    """One placeholder, two pictures: the model takes both for one."""

    def batch(seed: int) -> Batch:
        rows = [[*words(seed + row, 9), 7, *words(row, 4)] for row in range(4)]
        return {"input_ids": padded(rows), "pixel_values": images(seed, 8, 3, 28, 28)}

    known = Known(pad=0, named=((7, "<image>"),))
    assert tie(seen([batch(seed) for seed in range(3)], known)) == (("image", None, "", None, 0),)


@pytest.mark.parametrize("named", [True, False])
def test_images_as_large_as_they_are_in_a_list(*, named: bool) -> None:
    """Each has its own number of patches; what most of them have is no rule for the others."""

    def batch(seed: int) -> Batch:
        sides = [(28, 56), (28, 56), (28, 56), (56, 56) if seed % 2 else (84, 56)]
        rows = [
            [*words(seed + row, 9), *[7] * (height // 14 * (width // 14)), *words(row, 4)]
            for row, (height, width) in enumerate(sides)
        ]
        return {"input_ids": padded(rows), "images": [images(seed, 3, *side) for side in sides]}

    known = Known(pad=0, named=((7, "<image>"),)) if named else None
    by = "tokenizer" if named else "values"
    assert tie(seen([batch(seed) for seed in range(4)], known)) == (
        ("image", "sizes", "images in patches of 14", by, 0),
    )


def test_placeholders_that_follow_from_nothing_in_the_batch_are_not_judged() -> None:
    """Padded to one size, with as many placeholders as the image had patches before."""

    def batch(seed: int) -> Batch:
        rows = [
            [*words(seed + row, 9), *[7] * (16 if row < 3 else 22 + seed % 3), *words(row, 4)]
            for row in range(4)
        ]
        return {"input_ids": padded(rows), "pixel_values": images(seed, 4, 3, 56, 56)}

    known = Known(pad=0, named=((7, "<image>"),))
    evidence = seen([batch(seed) for seed in range(4)], known)
    assert tie(evidence) == (("image", None, "", None, 0),)
    assert evidence.streams[0].why == (
        "no rule explains the runs of id 7 by the images of `pixel_values`; --image-token-id declares another id,"
        " if this is not the placeholder"
    )


def test_counts_of_rows_are_compared_with_the_placeholders_of_rows() -> None:
    """The total is right, two rows have each other's number."""

    def batch(seed: int, counts: list[int]) -> Batch:
        rows = [
            [*words(seed + row, 9), *[7] * (16 * held), *words(row, 4)] for row, held in enumerate((2, 1))
        ]
        return {
            "input_ids": padded(rows), "pixel_values": images(seed, 3, 3, 56, 56), "image_counts": torch.tensor(counts),
        }  # fmt: skip

    known = Known(pad=0, named=((7, "<image>"),))
    right = seen([batch(seed, [2, 1]) for seed in range(3)], known)
    assert [(one.equal, one.wrong) for one in right.counts] == [(3, ())]
    moved = seen([batch(seed, [1, 2]) for seed in range(3)], known)
    assert [(one.batch, one.row, one.stated, one.held) for one in moved.counts[0].wrong] == [
        (0, 0, 1, 2), (1, 0, 1, 2), (2, 0, 1, 2),
    ]  # fmt: skip


def test_samples_of_a_batch_that_the_collate_refused_are_compared_all_the_same() -> None:
    """The batch never came; its tags and images did."""
    collector = PlaceholderCollector(Intent(), Vocabulary(pad=0), Known(pad=0))
    collector.take_failed(
        [4, 5, 6], [note_of({"text": "<image> " * n, "images": ["a"]}, TAGS) for n in (1, 2, 1)]
    )
    found = collector.evidence().tags
    assert found is not None
    assert [(one.sample, one.count, one.images, one.fits) for one in found.examples] == [(5, 2, 1, False)]
