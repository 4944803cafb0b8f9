"""What values say of token ids and of the fields that lie beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dldoctor.roles.leaf import Leaf, different
from dldoctor.roles.vote import Field, Rule, Scene, Vote

if TYPE_CHECKING:
    from torch import Tensor

MIN_ROW = 8
"""A table with shorter rows is rarely text."""
ROWS = 64
"""Rows that are compared one by one."""


def rows_of(leaf: Leaf) -> list[Tensor]:
    """Return the kept rows of a table, a ragged list or a single sequence."""
    table = leaf.table
    if leaf.lengths is not None:
        ends, start = [], 0
        for length in leaf.lengths[:ROWS]:
            if start + length > table.shape[0]:
                break
            ends.append(table[start : start + length])
            start += length
        return ends
    if table.ndim < 2:
        return [table.reshape(-1)]
    return list(table.reshape(-1, table.shape[-1])[:ROWS])


def ramp_share(leaf: Leaf) -> float:
    """Return the share of steps along the rows that count up by one."""
    steps = [row[1:] - row[:-1] for row in rows_of(leaf) if row.numel() > 1]
    count = sum(step.numel() for step in steps)
    return sum(int((step == 1).sum()) for step in steps) / count if count else 0.0


def _falls(leaf: Leaf) -> bool:
    return any(bool((row[1:] < row[:-1]).any()) for row in rows_of(leaf) if row.numel() > 1)


def token_ids(field: Field) -> Vote | None:
    """Rows of many different whole numbers that neither count nor rise."""
    leaf = field.leaf
    if leaf.form != "int" or leaf.values is None or leaf.unsigned_bytes or leaf.binary or leaf.low < -1000:
        return None
    ragged = leaf.lengths is not None and len(leaf.shape) == 2
    table = len(leaf.shape) == 2 and leaf.shape[-1] >= MIN_ROW
    stream = len(leaf.shape) == 1 and leaf.total >= ROWS and leaf.distinct < leaf.total
    if not (ragged or table or stream) or leaf.distinct < MIN_ROW or leaf.total < 2 * MIN_ROW:
        return None
    negative = int((leaf.table < 0).sum()) / leaf.table.numel()
    if negative and (negative > 0.05 or leaf.low >= -1):
        return None
    if not _falls(leaf) or ramp_share(leaf) > 0.6:
        return None
    if negative:
        return Vote("token_ids", 0.5, "rows of many different whole numbers, a few negative as for images")
    return Vote("token_ids", 0.7 if leaf.high > 200 else 0.5, f"rows of whole numbers up to {leaf.high:.0f}")


def confirmed_token_ids(field: Field) -> Vote | None:
    """Whole numbers that a mask or labels beside them fit."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if path not in scene.tokens:
        return None
    alone = Scene({path: leaf}, tokens=(path,))
    for other, beside in scene.leaves.items():
        if other == path or beside.values is None or not beside.same_layout(leaf):
            continue
        mask = padding_mask(Field(other, beside, alone))
        if mask and mask.strength >= 0.9:
            return Vote("token_ids", 0.9, f"`{other}` masks its end, where it is constant")
        labels = labels_beside(Field(other, beside, alone))
        if labels and labels.strength >= 0.9:
            return Vote("token_ids", 0.9, f"`{other}` repeats it where it is not ignored")
    return None


def _ignored(leaf: Leaf) -> int | None:
    """Return the one negative value of a leaf, if it has exactly one."""
    negative = leaf.table[leaf.table < 0]
    return int(negative[0]) if different(negative) == 1 else None


def labels_beside(field: Field) -> Vote | None:
    """Equal to the token ids, or to the next ones, where it is not ignored."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or leaf.table.ndim < 1:
        return None
    ignored = _ignored(leaf)
    if leaf.low < 0 and ignored is None:
        return None
    counted = leaf.table != (ignored if ignored is not None else -(2**40))
    if not bool(counted.any()):
        sure = 0.9 if ignored == -100 else 0.4
        return Vote("labels", sure, f"every element is {ignored}")
    for other, ids in scene.others(scene.tokens, path):
        if not ids.same_layout(leaf) or ids.table.shape != leaf.table.shape:
            continue
        vote = _compared(
            leaf.table,
            ids.table,
            counted,
            other,
            ignored,
            scene.order.get(path, 0) > scene.order.get(other, 0),
        )
        if vote:
            return vote
    return None


def _compared(
    y: Tensor, x: Tensor, counted: Tensor, other: str, ignored: int | None, later: bool
) -> Vote | None:
    same = _share((y == x)[counted])
    if same > 0.75:
        if ignored is not None:
            return Vote("labels", 0.95, f"equals `{other}` on {same:.0%} of what is not {ignored}")
        # Equal without any ignored value: only names can tell which of the two is which.
        return (
            Vote("labels", 0.72, f"equals `{other}`, which comes before it")
            if later and same == 1.0
            else None
        )
    ahead = _share((y[..., :-1] == x[..., 1:])[counted[..., :-1]])
    if ahead > 0.9 and same < 0.6:
        return Vote(
            "labels", 0.95 if ignored is not None else 0.86, f"equals `{other}` moved by one position"
        )
    if ignored is not None and same < 0.3 and 0.02 <= _share(counted) <= 0.4:
        top = int(x[counted].mode().values)
        if _share(x[counted] == top) > 0.5:
            return Vote("labels", 0.86, f"counted where `{other}` is mostly {top}, as for masked words")
    return None


def _share(flags: Tensor) -> float:
    return float(flags.float().mean()) if flags.numel() else 0.0


def labels_by_ignored_value(field: Field) -> Vote | None:
    """Rows of whole numbers with -100, the value that torch's losses ignore."""
    leaf = field.leaf
    if leaf.form != "int" or leaf.values is None or len(leaf.shape) not in (1, 2) or leaf.total < MIN_ROW:
        return None
    if _ignored(leaf) != -100 or leaf.high < 0:
        return None
    return Vote("labels", 0.86, "whole numbers with -100, which losses ignore")


def padding_mask(field: Field) -> Vote | None:
    """Flags beside token ids, off only at one end of a row, where the ids are constant."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if not leaf.binary or leaf.table.ndim < 1:
        return None
    for other, ids in scene.others(scene.tokens, path):
        if not ids.same_layout(leaf) or ids.table.shape != leaf.table.shape:
            continue
        flags = leaf.table.bool()
        if bool(flags.all()):
            return Vote("attention_mask", 0.6, f"as large as `{other}`, and on everywhere")
        if not bool(flags.any()):
            return None
        if not all(_one_step(row) for row in rows_of(leaf)):
            continue
        for inverted in (False, True):
            off = flags if inverted else ~flags
            if different(ids.table[off]) == 1 and different(ids.table[~off]) > 1:
                sure = 0.7 if int(off.sum()) == 1 else 0.8 if inverted else 0.9
                state = "on" if inverted else "off"
                return Vote(
                    "attention_mask",
                    sure,
                    f"{state} only at the end of rows of `{other}`, where it is constant",
                )
    return None


def _one_step(row: Tensor) -> bool:
    """At most one change along the row."""
    flags = row.bool()
    return int((flags[1:] != flags[:-1]).sum()) <= 1


def loss_mask(field: Field) -> Vote | None:
    """Flags or weights beside token ids that leave out different ids."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.values is None or leaf.form == "text" or leaf.low < 0 or leaf.table.ndim < 1:
        return None
    for other, ids in scene.others(scene.tokens, path):
        if not ids.same_layout(leaf) or ids.table.shape != leaf.table.shape or leaf.distinct < 2:
            continue
        real = leaf.form == "float"
        if leaf.binary and different(ids.table[~leaf.table.bool()]) > 1:
            return Vote(
                "loss_mask", 0.7 if real else 0.6, f"flags beside `{other}` that leave out different ids"
            )
        if real and not leaf.integral:
            return Vote("loss_mask", 0.6, f"weights beside `{other}`")
    return None


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
            and all(_one_step(row) for row in rows)
        ):
            zeros = ids.table[leaf.table == 0]
            if different(zeros) == 1:
                return Vote(
                    "attention_mask", 0.86, f"numbers the documents of `{other}` from 1, 0 on padding"
                )
            return Vote("attention_mask", 0.65, f"numbers the documents of `{other}` from 1")
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


def dense_mask(field: Field) -> Vote | None:
    """A square of two values for each row of token ids."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if (
        leaf.values is None
        or len(leaf.shape) not in (3, 4)
        or leaf.shape[-1] != leaf.shape[-2]
        or leaf.distinct > 2
    ):
        return None
    side = leaf.shape[-1]
    for other, ids in scene.others(scene.tokens, path):
        if ids.shape and ids.shape[-1] == side and side >= MIN_ROW:
            return Vote(
                "attention_mask", 0.95, f"a square of {side} positions each way, as many as `{other}` has"
            )
    if leaf.low < -1e4 and leaf.shape[1] == 1:
        return Vote("attention_mask", 0.9, "squares of 0 and the lowest number")
    return None


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
            and leaf.high < 2 * max(row.numel() for row in rows_of(ids))
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
        if labels.form != "int" or len(labels.shape) != 2 or _ignored(labels) is None:
            continue
        heads = [int((row >= 0).int().argmax()) for row in rows_of(labels)]
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
    if leaf.form != "int" or leaf.values is None or len(leaf.shape) != 1 or leaf.shape[0] < 2 or leaf.low < 0:
        return []
    return [int(count) for count in leaf.table.tolist()]


def sentences(field: Field) -> Vote | None:
    """Texts with spaces in them."""
    leaf = field.leaf
    if leaf.form != "text" or not leaf.texts:
        return None
    spaced = sum(" " in text.strip() for text in leaf.texts) / len(leaf.texts)
    if spaced <= 0.5:
        return None
    words = sum(len(text.split()) for text in leaf.texts) / len(leaf.texts)
    return Vote("text", 0.75 if words >= 4 else 0.6, f"texts of {words:.0f} words on average")


RULES: tuple[Rule, ...] = (
    token_ids,
    confirmed_token_ids,
    labels_beside,
    labels_by_ignored_value,
    padding_mask,
    loss_mask,
    document_numbers,
    dense_mask,
    position_ids,
    document_bounds,
    prompt_length,
    token_counts,
    sentences,
)
