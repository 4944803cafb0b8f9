"""What values say of positions, documents and lengths beside token ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dldoctor.roles.leaf import Leaf, different
from dldoctor.roles.rows import ROWS, ignored_value, one_step, ramp_share, rows_of
from dldoctor.roles.text import MIN_ROW
from dldoctor.roles.vote import Field, Rule, Vote

if TYPE_CHECKING:
    from torch import Tensor


def document_numbers(field: Field) -> Vote | None:
    """Beside token ids, a number that rises by one from document to document."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or leaf.low < 0 or leaf.high > 4096 or leaf.table.ndim < 1:
        return None
    for other, ids in scene.others(scene.tokens, path):
        if not ids.same_layout(leaf) or ids.table.shape != leaf.table.shape or ramp_share(leaf) > 0.6:
            continue
        rows = rows_of(leaf)
        padded = [row[row > 0] for row in rows]
        if (
            leaf.high >= 2
            and all(_counts_up(row, 1) for row in padded)
            and all(one_step(row) for row in rows)
        ):
            zeros = ids.table[leaf.table == 0]
            if not zeros.numel():
                return Vote("attention_mask", 0.65, f"numbers the documents of `{other}` from 1")
            if different(zeros) == 1:
                return Vote(
                    "attention_mask", 0.86, f"numbers the documents of `{other}` from 1, 0 on padding"
                )
        if leaf.high >= 1 and all(_counts_up(row, 0) for row in rows):
            return Vote(
                "segment_ids", 0.86 if leaf.high >= 2 else 0.65, f"numbers the documents of `{other}` from 0"
            )
    return None


def _counts_up(row: Tensor, start: int) -> bool:
    if not row.numel():
        return True
    steps = row[1:] - row[:-1]
    return int(row[0]) == start and bool(((steps == 0) | (steps == 1)).all())


def position_ids(field: Field) -> Vote | None:
    """Beside token ids, numbers that count up."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or leaf.low < 0 or leaf.table.ndim < 1:
        return None
    for other, ids in scene.others(scene.tokens, path):
        if not ids.shape:
            continue
        if (
            ids.same_layout(leaf)
            and leaf.high < 2 * max((row.numel() for row in rows_of(ids)), default=0)
            and ramp_share(leaf) > 0.6
        ):
            return Vote("position_ids", 0.88, f"counts up along `{other}`")
        if (
            len(leaf.shape) == 3
            and leaf.shape[0] in (3, 4)
            and leaf.shape[1:] == ids.shape
            and leaf.distinct > 2
        ):
            return Vote("position_ids", 0.85, f"{leaf.shape[0]} numbers for each position of `{other}`")
        if len(leaf.shape) == 2 and leaf.shape == (ids.total, 3) and leaf.high < 2 * ids.total:
            return Vote("position_ids", 0.75, f"3 numbers for each position of `{other}`")
    return None


def document_bounds(field: Field) -> Vote | None:
    """Rising numbers from 0 to the number of tokens."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or not 1 <= len(leaf.shape) <= 2 or leaf.lengths is not None:
        return None
    totals = {total for _, ids in scene.others(scene.tokens, path) for total in (ids.total, *ids.shape[-1:])}
    for row in rows_of(leaf):
        bounds = row[row >= 0]
        if (
            bounds.numel() < 2
            or int(bounds[0])
            or int(bounds[-1]) not in totals
            or not bool((bounds[1:] > bounds[:-1]).all())
        ):
            return None
    if not totals:
        return None
    return Vote("document_lengths", 0.97, f"rises from 0 to {int(leaf.high)}, the number of tokens")


def prompt_length(field: Field) -> Vote | None:
    """One number a row: the position at which its labels begin to count."""
    leaf = field.leaf
    counts = _counts(leaf)
    for other, labels in field.scene.leaves.items() if counts else ():
        if labels.form != "int" or len(labels.shape) != 2 or ignored_value(labels) is None:
            continue
        heads = [int((row >= 0).int().argmax()) if row.numel() else 0 for row in rows_of(labels)]
        if labels.shape[0] == leaf.shape[0] and any(heads) and counts[: len(heads)] == heads:
            return Vote("prompt_length", 0.95, f"the position at which `{other}` begins to count")
    return None


def token_counts(field: Field) -> Vote | None:
    """One number a row: how many of its tokens are real."""
    leaf, scene = field.leaf, field.scene
    counts = _counts(leaf)
    for other, mask in scene.leaves.items() if len(set(counts)) > 1 else ():
        if (
            mask.binary
            and len(mask.shape) == 2
            and mask.shape[0] == leaf.shape[0]
            and mask.shape[1] >= MIN_ROW
        ):
            real = [int(row.sum()) for row in rows_of(mask)]
            if counts[: len(real)] == real:
                return Vote("document_lengths", 0.9, f"how many positions of a row `{other}` marks")
    for other, ids in scene.others(scene.tokens, field.path) if counts else ():
        if ids.lengths is not None and list(ids.lengths) == counts and len(set(counts)) > 1:
            return Vote("document_lengths", 0.9, f"the lengths of `{other}`")
        if sum(counts) == ids.total and ids.total >= ROWS and leaf.low > 0:
            return Vote("document_lengths", 0.8, f"adds up to the {ids.total} tokens of `{other}`")
    return None


def _counts(leaf: Leaf) -> list[int]:
    """Return the values of a column of numbers that are not negative, or nothing."""
    column = len(leaf.shape) == 1 and leaf.shape[0] >= 2
    if leaf.form != "int" or leaf.values is None or not column or leaf.low < 0:
        return []
    return [int(count) for count in leaf.table.tolist()]


RULES: tuple[Rule, ...] = (
    document_numbers,
    position_ids,
    document_bounds,
    prompt_length,
    token_counts,
)
