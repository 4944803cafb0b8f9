"""More batches of text trainers: packed for megatron, from object arrays, with counts, of two texts, of tags."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from tests.roles.batches import PAD, Draw, Made


def bounds_for_each_row(draw: Draw) -> Made:
    """Cumulative lengths of every row, filled with -1 behind the last."""
    ids = draw.words(3, 48)
    bounds = torch.tensor([[0, 20, 48, -1], [0, 9, 30, 48], [0, 48, -1, -1]], dtype=torch.int32)
    positions = torch.cat([torch.arange(48) for _ in range(3)]).view(3, 48)
    weights = torch.ones(3, 48)
    weights[:, 5:11] = 0
    batch = {
        "tokens": ids, "labels": torch.cat([ids[:, 1:], draw.words(3, 1)], 1), "loss_mask": weights,
        "position_ids": positions, "cu_seqlens": bounds,
    }  # fmt: skip
    truth = {
        "tokens": "token_ids", "labels": "labels", "loss_mask": "loss_mask", "position_ids": "position_ids",
        "cu_seqlens": "document_lengths",
    }  # fmt: skip
    return Made("nemo", batch, truth)


def objects_of_arrays(draw: Draw) -> Made:
    """Padded prompts beside ragged ids in an object array."""
    ids, mask = draw.padded(4, 40, left=True)
    ragged = np.empty(4, dtype=object)
    for row in range(4):
        ragged[row] = ids[row][mask[row] == 1].tolist()
    batch = {"input_ids": ids, "attention_mask": mask, "raw_prompt_ids": ragged}
    return Made(
        "objects", batch,
        {"input_ids": "token_ids", "attention_mask": "attention_mask", "raw_prompt_ids": "token_ids"},
    )  # fmt: skip


def real_mask(draw: Draw) -> Made:
    """A mask of real numbers, and no labels: the model moves the ids."""
    ids, mask = draw.padded(4, 40)
    batch = {"input_ids": ids, "attention_mask": mask.float(), "index": torch.tensor([7, 2048, 31, 9000])}
    return Made(
        "olmo", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "index": "sample_id"}
    )


def two_texts_of_one_width(draw: Draw) -> Made:
    """Source and target both padded to one fixed width."""
    ids, mask = draw.padded(4, 40)
    out, out_mask = draw.padded(4, 40)
    batch = {"input_ids": ids, "attention_mask": mask, "labels": out.masked_fill(out_mask == 0, -100)}
    return Made(
        "fixed widths",
        batch,
        {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"},
    )


def labels_padded_as_text(draw: Draw) -> Made:
    """Labels that nothing marks as labels but their name."""
    ids, mask = draw.padded(4, 40)
    out, out_mask = draw.padded(4, 24)
    batch = {"input_ids": ids, "attention_mask": mask, "labels": out, "decoder_attention_mask": out_mask}
    truth = {
        "input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels",
        "decoder_attention_mask": "attention_mask",
    }  # fmt: skip
    return Made("summaries", batch, truth)


def tags(draw: Draw) -> Made:
    """A class for each word."""
    ids, mask = draw.padded(4, 40)
    labels = draw.ints(0, 7, 4, 40).masked_fill((mask == 0) | (ids % 3 == 0), -100)
    batch = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    return Made(
        "tags", batch, {"input_ids": "token_ids", "attention_mask": "attention_mask", "labels": "labels"}
    )


def ended_packs(draw: Draw) -> Made:
    """Packs without padding, with lengths up to the last real token and one fake document behind."""
    ids = draw.words(1, 90)
    ids[0, 84:] = PAD
    lengths = torch.tensor([0, 30, 84, 85, 86, 87, 88, 89, 90], dtype=torch.int32)
    positions = torch.cat([torch.arange(30), torch.arange(54), torch.zeros(6, dtype=torch.long)])[None]
    labels = ids.clone()
    labels[0, [0, 30]] = -100
    labels[0, 84:] = -100
    batch = {"input_ids": ids, "labels": labels, "position_ids": positions, "cu_seq_lens_q": lengths}
    truth = {
        "input_ids": "token_ids", "labels": "labels", "position_ids": "position_ids",
        "cu_seq_lens_q": "document_lengths",
    }  # fmt: skip
    return Made("padding free", batch, truth)


TEXT_FORMS: tuple[Callable[[Draw], Made], ...] = (
    bounds_for_each_row, objects_of_arrays, real_mask, two_texts_of_one_width, labels_padded_as_text, tags,
    ended_packs,
)  # fmt: skip
