"""Placeholders of real processors: right batches are silent; a token cut, an image lost, images swapped are found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch

transformers = pytest.importorskip("transformers", minversion="5.0")
pytest.importorskip("tokenizers")
pytest.importorskip("PIL")

from dldoctor.checks.base import Case, Check  # noqa: E402 - after the libraries were found
from dldoctor.checks.image_count_mismatch import ImageCountMismatch  # noqa: E402
from dldoctor.checks.image_counts_inconsistent import ImageCountsInconsistent  # noqa: E402
from dldoctor.checks.image_tokens_truncated import ImageTokensTruncated  # noqa: E402
from dldoctor.checks.placeholder_run_mismatch import PlaceholderRunMismatch  # noqa: E402
from dldoctor.evidence import Evidence  # noqa: E402
from dldoctor.evidence.placeholders import PlaceholdersEvidence  # noqa: E402
from dldoctor.finding import Finding, Level  # noqa: E402
from dldoctor.intent import Intent  # noqa: E402
from tests.probes.alignment.placeholders.processors import (  # noqa: E402
    BY_SIZE,
    FAMILIES,
    Family,
    batch_of,
    llava_next,
    seen,
)

# PaliGemma's processor makes an array in a way that numpy will not take for ever.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
CHECKS: tuple[Check, ...] = (
    ImageCountMismatch(), ImageTokensTruncated(), PlaceholderRunMismatch(), ImageCountsInconsistent(),
)  # fmt: skip
TIES = {
    "qwen": ("grid", "image_grid_thw / 2^2"), "llava": ("tiles", "16 each"), "internvl": ("tiles", "16 each"),
    "pixtral": ("sizes", "image_sizes in patches of 16"), "mistral3": ("sizes", "image_sizes in patches of 28"),
    "paligemma": ("tiles", "16 each"), "gemma3": ("tiles", "16 each"), "smolvlm": ("tiles", "16 each"),
    "mllama": ("one", "one each"),
}  # fmt: skip
Batch = dict[str, Any]


@cache
def family(name: str) -> Family:
    return FAMILIES[name]()


@cache
def batches(name: str) -> tuple[Batch, ...]:
    return tuple(batch_of(family(name), seed) for seed in range(4))


def found(evidence: PlaceholdersEvidence) -> list[tuple[str, Level]]:
    """Return the rules that speak."""
    case = Case(Evidence(placeholders=evidence), Intent())
    told = [one for check in CHECKS for one in check.judge(case) if isinstance(one, Finding)]
    return [(one.rule, one.level) for one in told]


def spoiled(name: str, spoil: Callable[[Batch, int], Batch], *, named: bool = True) -> PlaceholdersEvidence:
    """Return what is seen where the second batch is spoiled."""
    whole = batches(name)
    words = family(name).processor.tokenizer if named else None
    token = seen(whole, family(name).processor.tokenizer).streams[0].placeholder[0]
    return seen([whole[0], spoil(whole[1], token), *whole[2:]], words)


def without(batch: Batch, *names: str) -> Batch:
    return {key: value for key, value in batch.items() if key not in names}


def token_cut(batch: Batch, token: int) -> Batch:
    """One placeholder of the first row is gone; what follows moves up."""
    ids, mask = batch["input_ids"].clone(), batch["attention_mask"].clone()
    places = (ids[0] == token).nonzero().flatten()
    at = int(places[len(places) // 2])
    left = int(mask[0, 0]) == 0
    kept = torch.cat([ids[0, :at], ids[0, at + 1 :]])
    flags = torch.cat([mask[0, :at], mask[0, at + 1 :]])
    pad = torch.zeros(1, dtype=torch.long)
    ids[0] = torch.cat([pad, kept] if left else [kept, pad])
    mask[0] = torch.cat([pad, flags] if left else [flags, pad])
    bare = without(batch, "mm_token_type_ids", "token_type_ids", "cross_attention_mask")
    return {**bare, "input_ids": ids, "attention_mask": mask}


def image_lost(batch: Batch, _token: int) -> Batch:
    """The first image is not in the batch."""
    pixels = batch["pixel_values"]
    if "image_grid_thw" in batch:
        first = int(batch["image_grid_thw"][0].prod())
        return {**batch, "image_grid_thw": batch["image_grid_thw"][1:], "pixel_values": pixels[first:]}
    if pixels.ndim >= 5:  # a block of images for each row
        empty = {**batch, "pixel_values": pixels.clone()}
        empty["pixel_values"][0, 0] = 0
        if "pixel_attention_mask" in batch:
            empty["pixel_attention_mask"] = batch["pixel_attention_mask"].clone()
            empty["pixel_attention_mask"][0, 0] = 0
        return empty
    sizes = {"image_sizes": batch["image_sizes"][1:]} if "image_sizes" in batch else {}
    return {**batch, **sizes, "pixel_values": pixels[1:]}


def turned_around(batch: Batch, _token: int) -> Batch:
    """All images in reverse."""
    if "image_grid_thw" in batch:
        grid = batch["image_grid_thw"]
        parts = batch["pixel_values"].split(grid.prod(1).tolist())
        return {**batch, "image_grid_thw": grid.flip(0), "pixel_values": torch.cat(parts[::-1])}
    return {
        **batch,
        "image_sizes": batch["image_sizes"].flip(0),
        "pixel_values": batch["pixel_values"].flip(0),
    }


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", FAMILIES)
def test_right_batches_are_understood_and_silent(name: str, *, named: bool) -> None:
    """Rows of text alone, with one image and with two; with a tokenizer, and by values alone."""
    evidence = seen(batches(name), family(name).processor.tokenizer if named else None)
    (stream,) = evidence.streams
    if name == "mllama" and not named:
        assert stream.tie is None
        assert stream.why.startswith("no id could be told to stand for the images of `pixel_values`")
    else:
        assert (stream.tie, stream.unit) == TIES[name]
        assert stream.wrong_rows == 0
        assert stream.rows > 8
    assert found(evidence) == []


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "mllama"])
def test_a_token_that_is_cut_is_found_in_its_row(name: str, *, named: bool) -> None:
    """One batch of four, one row, one run."""
    evidence = spoiled(name, token_cut, named=named)
    wrong = [row for row in evidence.rows if not row.fits]
    assert [(row.batch, row.row) for row in wrong] == [(1, 0)]
    assert [slot.expected - slot.length for slot in wrong[0].slots if not slot.fits] == [1]
    assert found(evidence) == [("DL403", Level.ERROR)]


def test_a_single_placeholder_that_is_cut_is_a_count() -> None:
    """One placeholder an image: DL401 tells."""
    evidence = spoiled("mllama", token_cut)
    assert [(row.batch, row.row) for row in evidence.rows if not row.fits] == [(1, 0)]
    assert found(evidence) == [("DL401", Level.ERROR)]


@pytest.mark.parametrize("name", FAMILIES)
def test_an_image_that_is_lost_is_found(name: str) -> None:
    """A run (or a part of it) has no image; no other batch is blamed."""
    evidence = spoiled(name, image_lost)
    wrong = [row for row in evidence.rows if not row.fits]
    assert {row.batch for row in wrong} == {1}
    assert sum(row.placeholders - row.expected for row in wrong) > 0
    assert found(evidence) == [("DL401" if name == "mllama" else "DL403", Level.ERROR)]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", BY_SIZE)
def test_swapped_images_are_found_though_totals_agree(name: str, *, named: bool) -> None:
    """Slot by slot."""
    evidence = spoiled(name, turned_around, named=named)
    wrong = [row for row in evidence.rows if not row.fits]
    assert {row.batch for row in wrong} == {1}
    assert sum(row.placeholders for row in wrong) == sum(row.expected for row in wrong)
    assert found(evidence) == [("DL403", Level.ERROR)]


@pytest.mark.parametrize("name", BY_SIZE)
def test_images_that_are_swapped_in_every_batch_are_found_by_values(name: str) -> None:
    """Equal totals prove the id and the arithmetic; nearly all rows are wrong, so it is an error with a tokenizer."""
    whole = [turned_around(batch, 0) for batch in batches(name)]
    evidence = seen(whole, family(name).processor.tokenizer)
    assert evidence.streams[0].tie == TIES[name][0]
    assert found(evidence) == [("DL403", Level.ERROR)]


@pytest.mark.parametrize("name", ["qwen", "llava", "smolvlm"])
def test_rows_that_are_cut_at_a_limit_tell_the_limit(name: str) -> None:
    """Ids cut within a run, pixels untouched."""
    made = [
        {**batch, "input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
        for batch in batches(name)
    ]
    token = seen(made, family(name).processor.tokenizer).streams[0].placeholder[0]
    run = (made[0]["input_ids"][0] == token).nonzero().flatten()
    limit = int(run[len(run) - 3])
    names = ("input_ids", "attention_mask", "mm_token_type_ids")
    cut = [{**one, **{key: one[key][:, :limit] for key in names if key in one}} for one in made]
    evidence = seen(cut, family(name).processor.tokenizer, Intent(max_length=limit), family(name).processor)
    assert evidence.limit == limit
    assert found(evidence) == [("DL402", Level.ERROR)]


def test_grids_that_do_not_add_up_to_the_patches_are_counts() -> None:
    """The patches of one image are missing, its grid is there: the placeholders are right."""

    def short(batch: Batch, _token: int) -> Batch:
        return {**batch, "pixel_values": batch["pixel_values"][: -int(batch["image_grid_thw"][-1].prod())]}

    evidence = spoiled("qwen", short)
    assert found(evidence) == [("DL407", Level.ERROR)]


def test_what_no_batch_can_tell_is_not_judged() -> None:
    """Tiles of several sizes: it is said, and nothing is guessed."""
    made = llava_next()
    evidence = seen([batch_of(made, seed) for seed in range(4)], made.processor.tokenizer)
    (stream,) = evidence.streams
    assert stream.tie is None
    assert stream.why == (
        "how many placeholders an image in tiles of several sizes (`image_sizes`) has cannot be told from a batch;"
        " a field with the patches of each image, if there is one, is declared with --field image_grid=PATH"
    )
    assert found(evidence) == []
