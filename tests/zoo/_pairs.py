"""Preference pairs as token ids: two answers to one question, each side with fields of its own."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tests.zoo._chat import EOS, IGNORED, PAD, Sample, padded, turn, words

SIDES = ("chosen", "rejected")


def pair(number: int, *, rejected_ends: bool = True) -> Sample:
    """A question with two answers of nearly the same length."""
    prompt = turn(number).prompt
    made: Sample = {}
    for place, side in enumerate(SIDES):
        answer = words(1000 + 2 * number + place, 6 + (number + place) % 4)
        answer += [EOS] if rejected_ends or side == "chosen" else []
        made |= {f"{side}_input_ids": prompt + answer, f"{side}_labels": [IGNORED] * len(prompt) + answer}
    return made


def collate_pairs(samples: Sequence[Sample], *, short_mask: bool = False) -> dict[str, torch.Tensor]:
    """Pad each side to its own longest; `short_mask` forgets a token in the masks of the chosen."""
    made = {}
    for side in SIDES:
        ids = [list(one[f"{side}_input_ids"]) for one in samples]
        short = short_mask and side == "chosen"
        made |= {
            f"{side}_input_ids": padded(ids, PAD),
            f"{side}_labels": padded([list(one[f"{side}_labels"]) for one in samples], IGNORED),
            f"{side}_attention_mask": padded([[1] * (len(row) - short) for row in ids], 0),
        }
    return made
