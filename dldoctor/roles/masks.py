"""What values say of masks and weights beside token ids."""

from __future__ import annotations

from dldoctor.roles.leaf import different
from dldoctor.roles.rows import one_step, rows_of
from dldoctor.roles.text import MIN_ROW, labels_beside
from dldoctor.roles.vote import Field, Rule, Scene, Vote


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
        if not all(one_step(row) for row in rows_of(leaf)):
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


def confirmed_token_ids(field: Field) -> Vote | None:
    """Whole numbers that a mask or labels beside them fit."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if path not in scene.tokens:
        return None
    alone = Scene({path: leaf}, tokens=(path,))
    # What follows another text may be the labels of an encoder-decoder batch, which are token ids too.
    second = any(
        scene.order.get(one, 0) < scene.order.get(path, 0) for one, _ in scene.others(scene.tokens, path)
    )
    for other, beside in scene.leaves.items():
        if other == path or beside.values is None or not beside.same_layout(leaf):
            continue
        mask = padding_mask(Field(other, beside, alone))
        if mask and mask.strength >= 0.9:
            return Vote(
                "token_ids", 0.85 if second else 0.9, f"`{other}` masks its end, where it is constant"
            )
        labels = labels_beside(Field(other, beside, alone))
        if labels and labels.strength >= 0.9:
            return Vote("token_ids", 0.9, f"`{other}` repeats it where it is not ignored")
    return None


RULES: tuple[Rule, ...] = (
    padding_mask,
    loss_mask,
    dense_mask,
    confirmed_token_ids,
)
