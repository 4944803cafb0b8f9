"""To which text of a batch a field belongs: a preference batch has two, and each has its own mask and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dldoctor.roles.padding import padding_of

_OF_ROLES = frozenset({
    "input", "id", "token", "tok", "attention", "attn", "padding", "pad", "key", "mask", "label", "lm", "target",
    "loss", "weight", "scale", "position", "pos", "segment", "seq", "doc", "document", "idx", "shift",
})  # fmt: skip
"""Words that say what a field is, not of which text."""
NEAR = 2
"""Widths that differ by more are widths of different things, unless a name says otherwise."""


def stem(path: str) -> frozenset[str]:
    """Return the words of a path that say of which text it is: `chosen` of `chosen_attention_mask`."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path).lower()
    words = (word if word == "loss" else word.rstrip("s") for word in re.split(r"[^a-z0-9]+", plain))
    return frozenset(word for word in words if word and word not in _OF_ROLES)


def belongs(path: str, tokens: str, texts: Sequence[str]) -> bool | None:
    """Whether a field belongs to the token ids at `tokens` by its name; None where the name does not tell.

    `texts` are the paths of all token ids of the batch.
    """
    if "decoder" in stem(path) - stem(tokens):
        return False
    owners = [one for one in texts if stem(one) == stem(path)]
    if tokens not in owners:
        return False if owners else None
    return True if len(owners) == 1 else None


def pads_alike(mask: Any, ids: Any) -> bool:
    """Whether a mask of another width is on for the real tokens of each row, but for the same few."""
    if mask.shape[0] != ids.shape[0] or mask.shape[0] < 2:
        return False
    real = padding_of(ids).lengths
    on = (mask != 0).sum(1).tolist()
    apart = {one - other for one, other in zip(on, real, strict=True)}
    return len(set(real)) > 1 and len(apart) == 1 and abs(apart.pop()) <= NEAR


def repeats(labels: Any, ids: Any) -> bool:
    """Whether labels hold the ids at their place, though they are of another width."""
    width = min(labels.shape[1], ids.shape[1])
    valid = labels[:, :width] >= 0
    alike = (labels[:, :width] == ids[:, :width]) & valid
    total = int(valid.sum())
    return total >= 4 and int(alike.sum()) > 0.75 * total and int(ids[:, :width][alike].unique().numel()) >= 4


def pads_another(mask: Any, ids: Any, others: Sequence[Any]) -> bool:
    """Whether a mask marks the padding of another text of the same form, and not that of this one."""
    return not _pads(mask, ids) and any(_pads(mask, one) for one in others)


def _pads(mask: Any, ids: Any) -> bool:
    """Whether one side of a mask (either may be the padding) covers one id only, and the other several."""
    sides = [
        bool((side == side[:1]).all()) for flags in (mask != 0, mask == 0) if (side := ids[flags]).numel()
    ]
    return len(sides) < 2 or sides[0] != sides[1]
