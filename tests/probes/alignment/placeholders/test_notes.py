"""Tags, parts of messages and images of samples, before any collate."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from PIL import Image

from dldoctor.probes.alignment.placeholders.notes import TAGS, Note, note_of
from dldoctor.probes.alignment.placeholders.tags import Noted, tags_of

IMAGE = torch.zeros(3, 8, 8)


def told(sample: Any) -> tuple[int, int, dict[str, int]]:
    """Images, parts, and tags with their counts."""
    note = note_of(sample, TAGS)
    return note.images, note.parts, dict(note.counts)


def test_tags_carry_the_role_and_the_offset() -> None:
    """A conversation in which the answer quotes the tag."""
    messages = [
        {"role": "user", "content": "<image> what is it"},
        {"role": "assistant", "content": "the text <image> in a page"},
    ]
    note = note_of({"messages": messages, "images": [IMAGE]}, TAGS)
    assert (note.images, note.counts) == (1, {"<image>": 2})
    assert [tag[:4] for tag in note.tags] == [
        ("<image>", "messages.0.content", "user", 0),
        ("<image>", "messages.1.content", "assistant", 9),
    ]
    assert note.tags[1][4] == "the text <image> in a page"


@pytest.mark.parametrize(
    ("images", "count"),
    [
        (IMAGE, 1), ([IMAGE, IMAGE], 2), ([], 0), (None, 0), ("a.jpg", 1), (["a.jpg", "b.jpg"], 2),
        (torch.zeros(3, 3, 8, 8), 3), (Image.new("RGB", (8, 8)), 1), ([None, IMAGE], 1),
    ],
)  # fmt: skip
def test_images_are_counted_in_every_form(images: Any, count: int) -> None:
    """Tensors, Pillow images, paths, lists of them."""
    assert told({"text": "<image> a", "images": images}) == (count, 0, {"<image>": 1})


def test_parts_of_messages_stand_for_images() -> None:
    """With the image inside, or beside the messages."""
    inside = [
        {"role": "user", "content": [{"type": "image", "image": "a.jpg"}, {"type": "text", "text": "what"}]}
    ]
    beside = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "<image> what"}]}]
    assert told({"messages": inside}) == (1, 1, {})
    assert told({"messages": beside, "images": [IMAGE]}) == (1, 1, {"<image>": 1})


def test_masks_and_sizes_are_no_images() -> None:
    """Names that only sound like it."""
    assert told({"text": "a", "image_mask": IMAGE, "image_id": 4, "image_sizes": [3, 4]}) == (-1, 0, {})


def test_a_sample_of_token_ids_has_their_length() -> None:
    """What was cut later is told from it."""
    note = note_of({"input_ids": [3, 4, 5], "other": torch.arange(7)}, TAGS)
    assert note.lengths == {"input_ids": 3, "other": 7}


def noted(*pairs: tuple[int, int], tag: str = "<image>") -> list[Noted]:
    """Samples with so many tags and images, eight a batch."""
    return [
        Noted(at // 8, at, Note(images, 1, 0, {tag: tags} if tags else {}, [], {}))
        for at, (tags, images) in enumerate(pairs)
    ]


def test_tags_minus_images_is_counted() -> None:
    """Half of the samples agree."""
    found = tags_of(noted((1, 1), (2, 1), (0, 1), (1, 1)), None, {})
    assert found is not None
    assert (found.samples, found.pictured, found.agreeing, found.differing) == (4, 4, 2, 2)
    assert found.differences == {"-1": 1, "0": 2, "1": 1}
    assert [(one.sample, one.count, one.images, one.fits) for one in found.examples] == [
        (1, 2, 1, None),
        (2, 0, 1, None),
    ]


def test_texts_without_tags_are_not_judged() -> None:
    """The template adds them, or the model needs none."""
    assert tags_of(noted((0, 1), (0, 2), (0, 0)), None, {}) is None


def test_a_tag_that_agrees_with_few_means_something_else() -> None:
    """Unless it is declared."""
    pairs = ((3, 1), (1, 1), (4, 2), (0, 1))
    assert tags_of(noted(*pairs), None, {}) is None
    found = tags_of(noted(*pairs), "<image>", {0: True})
    assert found is not None
    assert (found.differing, found.examples[0].fits) == (3, True)
