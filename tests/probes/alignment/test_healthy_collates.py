"""Collates that look as if they took rows apart, and do not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from tests.probes.alignment.tracing import trace
from tests.zoo._rows_apart import Pairs, image_of

Samples = list[dict[str, Any]]


def stacked(samples: Samples) -> dict[str, Any]:
    ids = [one["ids"] for one in samples]
    return {
        "image": torch.stack([one["image"] for one in samples]),
        "ids": pad_sequence(ids, batch_first=True),
    }


def dropping_none(samples: Samples) -> dict[str, Any]:
    return stacked([one for one in samples if one is not None])


def with_dummies(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    more = -len(samples) % 4
    return {
        key: torch.cat([value, torch.zeros(more, *value.shape[1:], dtype=value.dtype)])
        for key, value in batch.items()
    }


def packed(samples: Samples) -> dict[str, Any]:
    ids = torch.cat([one["ids"] for one in samples])
    return {
        "ids": ids[None],
        "labels": ids[None].clone(),
        "image": torch.stack([one["image"] for one in samples]),
    }


def mixup(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    image = 0.7 * batch["image"] + 0.3 * batch["image"].flip(0)
    return {"image": image, "a": batch["ids"], "b": batch["ids"].flip(0), "lam": torch.tensor(0.7)}


def cutmix(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    image = batch["image"].clone()
    image[:, :, 3:9, 2:8] = batch["image"].roll(1, 0)[:, :, 3:9, 2:8]
    return {"image": image, "a": batch["ids"], "b": batch["ids"].roll(1, 0)}


def with_negatives(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    return {**batch, "negative_ids": batch["ids"].roll(1, 0)}


def whole_batch_numbers(samples: Samples) -> dict[str, Any]:
    batch, count = stacked(samples), len(samples)
    lengths = torch.tensor([len(one["ids"]) for one in samples])
    return {
        **batch,
        "mask": (batch["ids"] != 0).long(),
        "full": torch.ones_like(batch["ids"]),
        "lengths": lengths,
        "longest": lengths.max().repeat(count),
        "distinct": lengths.unique(),
        "ends": lengths.cumsum(0),
        "row": torch.arange(count),
        "pairs": torch.eye(count),
        "positions": torch.arange(batch["ids"].shape[1]).repeat(count, 1),
        "count": torch.tensor([count]),
    }


def lengths_in_their_own_order(samples: Samples) -> dict[str, Any]:
    lengths = torch.tensor([len(one["ids"]) for one in samples])
    return {**stacked(samples), "lengths": lengths, "sorted_lengths": lengths.sort().values}


def time_first(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    return {"image": batch["image"], "ids": batch["ids"].T.contiguous()}


def packed_sequence(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    lengths = [len(one["ids"]) for one in samples]
    return {
        "image": batch["image"],
        "ids": pack_padded_sequence(batch["ids"], lengths, batch_first=True, enforce_sorted=False),
    }


def two_views(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    return {"views": torch.cat([batch["image"], batch["image"].flip(-1)]), "ids": batch["ids"]}


def mutating(samples: Samples) -> dict[str, Any]:
    for one in samples:
        one["ids"] += 1
        one["image"].mul_(2).sub_(1)
    return stacked(samples)


def augmenting(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    image = batch["image"]
    for row in range(len(image)):
        if torch.rand(()) < 0.5:
            image[row] = image[row].flip(-1)
    top = int(torch.randint(0, 4, ()))
    masked = batch["ids"].where(torch.rand(batch["ids"].shape) > 0.15, torch.tensor(1))
    return {"image": image[:, :, top : top + 8, :8], "ids": masked, "labels": batch["ids"]}


def truncating_to_the_first(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    return {"image": batch["image"], "ids": batch["ids"][:, : len(samples[0]["ids"])]}


def normalising_by_batch(samples: Samples) -> dict[str, Any]:
    batch = stacked(samples)
    image = batch["image"]
    return {"image": (image - image.mean()) / image.std(), "ids": batch["ids"]}


HEALTHY = (
    stacked, with_dummies, packed, mixup, cutmix, with_negatives, whole_batch_numbers, lengths_in_their_own_order, time_first,
    packed_sequence, two_views, mutating, augmenting, truncating_to_the_first, normalising_by_batch,
)  # fmt: skip


@pytest.mark.parametrize("collate", HEALTHY)
def test_no_row_is_wrong(collate: Any) -> None:
    """Or it is told what the disagreement is: a twin of a field that agrees."""
    found = trace(Pairs("image-text"), collate)
    if collate is with_negatives:
        assert found.twins == {"negative_ids": "ids"}
    elif collate in (mixup, cutmix):
        assert found.mixed
        assert found.twins in ({}, {"b": "a"})
    else:
        assert (found.wrong, found.misplaced, found.unjudged) == (0, (), None)


def test_a_random_exchange_that_a_field_tells() -> None:
    """Image-text matching: a flag says which texts were exchanged."""

    def matching(samples: Samples) -> dict[str, Any]:
        batch = stacked(samples)
        exchanged = torch.arange(len(samples)) % 2 * (len(samples) > 1)
        ids = torch.where(exchanged[:, None].bool(), batch["ids"].roll(1, 0), batch["ids"])
        return {"image": batch["image"], "ids": ids, "match": 1 - exchanged}

    found = trace(Pairs("image-text"), matching)
    assert found.wrong == 9
    assert found.told_by == "match"


class Some(Pairs):
    """Pairs of which some have no image, or are not there at all."""

    def __init__(self, *, whole: bool) -> None:
        super().__init__("image-text")
        self.whole = whole

    def __getitem__(self, index: int) -> Any:
        sample = super().__getitem__(index)
        if index % 5 != 2:
            return sample
        return None if self.whole else {**sample, "image": None}


def test_whole_samples_that_are_dropped_are_no_fault() -> None:
    """The rows of all fields go together."""
    found = trace(Some(whole=True), dropping_none)
    assert (found.wrong, found.rows) == (0, 14)


def flat_images(samples: Samples) -> dict[str, Any]:
    images = [one["image"] for one in samples if one["image"] is not None]
    shown = torch.stack(images) if images else torch.zeros(0, 3, 12, 12)
    ids = pad_sequence([one["ids"] for one in samples], batch_first=True)
    return {
        "images": shown,
        "ids": ids,
        "counts": torch.tensor([one["image"] is not None for one in samples]),
    }


def test_images_that_only_some_samples_have_are_no_fault() -> None:
    """They lie one after another, as many as there are."""
    found = trace(Some(whole=False), flat_images)
    assert found.wrong == 0


def test_missing_images_that_shift_the_others_are_found() -> None:
    """None images are dropped, texts are cut to the same number: B034."""

    def shifted(samples: Samples) -> dict[str, Any]:
        batch = flat_images(samples)
        return (
            {"images": batch["images"], "ids": batch["ids"][: len(batch["images"])]}
            if len(samples) > 1
            else batch
        )

    found = trace(Some(whole=False), shifted, batches=2, size=8)
    first = found.misplaced[0]
    assert (first.first, first.rows, first.wrong) == (2, 6, 4)
    assert first.sources["images"] == (0, 1, 3, 4, 5, 6)
    assert first.sources["ids"] == (0, 1, 2, 3, 4, 5)


def test_equal_samples_are_not_told_apart() -> None:
    """A swap of two rows of one content changes nothing."""

    class Twins(Pairs):
        def __getitem__(self, index: int) -> Any:
            return super().__getitem__(index // 2)

    def swapping(samples: Samples) -> dict[str, Any]:
        batch = stacked(samples)
        order = [one for at in range(0, len(samples), 2) for one in (at + 1, at)] if len(samples) > 1 else [0]
        return {"image": batch["image"][order], "ids": batch["ids"]}

    assert trace(Twins("image-text"), swapping).wrong == 0


def test_boxes_that_name_their_image_may_come_in_any_order() -> None:
    """A first column tells the row of each box."""

    def by_column(samples: Samples, *, shift: int = 0) -> dict[str, Any]:
        rows = [
            torch.cat(
                [torch.full((len(one["boxes"]), 1), float((at + shift) % len(samples))), one["boxes"]], 1
            )
            for at, one in enumerate(samples)
        ]
        return {"image": torch.stack([one["image"] for one in samples]), "targets": torch.cat(rows[::-1])}

    assert trace(Pairs("image-boxes"), by_column).wrong == 0
    assert trace(Pairs("image-boxes"), lambda samples: by_column(samples, shift=1)).wrong == 18


def test_boxes_one_after_another_follow_the_images() -> None:
    """Without any index the order of the boxes is that of the images."""

    def flat(samples: Samples, *, backwards: bool = False) -> dict[str, Any]:
        tables = [one["boxes"] for one in samples]
        return {
            "image": torch.stack([one["image"] for one in samples]),
            "boxes": torch.cat(tables[::-1] if backwards else tables),
        }

    assert trace(Pairs("image-boxes"), flat).wrong == 0
    assert trace(Pairs("image-boxes"), lambda samples: flat(samples, backwards=True)).wrong == 18


def test_labels_of_tokens_that_stay_behind_are_no_twin_on_purpose() -> None:
    """The check decides by the names; the trace tells both."""

    def sorting(samples: Samples) -> dict[str, Any]:
        batch = stacked(samples)
        order = sorted(range(len(samples)), key=lambda at: len(samples[at]["ids"]))
        return {"ids": batch["ids"][order], "image": batch["image"][order], "labels": batch["ids"].clone()}

    found = trace(Pairs("image-text"), sorting)
    assert found.wrong > 0
    assert found.twins == {"labels": "ids"}


def test_class_labels_are_enough_to_see_a_shift() -> None:
    """Values that repeat tell less, and still something."""

    class Classes(Pairs):
        def __getitem__(self, index: int) -> Any:
            return {"image": image_of(index), "label": index % 3}

    def shifted(samples: Samples) -> dict[str, Any]:
        labels = torch.tensor([one["label"] for one in samples]).roll(1)
        return {"image": torch.stack([one["image"] for one in samples]), "label": labels}

    assert trace(Classes("plain"), shifted).wrong == 18


def test_sizes_of_several_images_a_row_are_alike() -> None:
    """One, two or no image a sample, all of one size: their sizes fit the rows in many orders."""

    def collate(samples: Samples) -> dict[str, Any]:
        counts = [(1, 2, 2, 0)[int(one["ids"].sum()) % 4] for one in samples]
        return {**stacked(samples), "grid": torch.tensor([[1, 6, 8]] * sum(counts)).reshape(-1, 3)}

    found = trace(Pairs("image-text"), collate)
    assert found.wrong == 0, found.misplaced


def test_a_row_may_look_like_another_one_and_its_padding() -> None:
    """Marks that end in zeros are those of a shorter sample, too."""

    def marks_of(sample: dict[str, Any]) -> torch.Tensor:
        total = int(sample["ids"].sum())
        return torch.tensor([0, 1, 1, 0, 2, 2, 0, 1 + total % 2] + [0] * (total % 3))

    def collate(samples: Samples) -> dict[str, Any]:
        return {
            **stacked(samples),
            "marks": pad_sequence([marks_of(one) for one in samples], batch_first=True),
        }

    found = trace(Pairs("image-text"), collate)
    assert found.wrong == 0, found.misplaced
