"""What values say of texts, of token ids and of the labels beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dldoctor.roles.leaf import Leaf
from dldoctor.roles.padding import padding_of
from dldoctor.roles.rows import ROWS, falls, ignored_value, ramp_share
from dldoctor.roles.vote import Field, Rule, Vote

if TYPE_CHECKING:
    from torch import Tensor

MIN_ROW = 8
"""A table with shorter rows is rarely text."""
LENGTHS = 4
"""Rows of so many different lengths were filled up."""


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
    if not falls(leaf) or ramp_share(leaf) > 0.6:
        return None
    if negative:
        return Vote("token_ids", 0.5, "rows of many different whole numbers, a few negative as for images")
    if table and (runs := _padded_runs(leaf.table)) is not None:
        return Vote("token_ids", 0.75, f"rows of whole numbers that {runs} of different lengths")
    # Counts in the columns of a table look the same, but are rarely so wide and so large.
    plain = leaf.high > 1000 and leaf.total / max(leaf.shape[0], 1) >= 16
    return Vote("token_ids", 0.7 if plain else 0.55, f"rows of whole numbers up to {leaf.high:.0f}")


def _padded_runs(table: Tensor) -> str | None:
    """Say how rows are filled up with one number that stands nowhere else in them; None where they are not."""
    padding = padding_of(table)
    if padding.source != "values" or padding.pad_id is None or padding.side not in ("left", "right"):
        return None
    if len(set(padding.lengths)) < LENGTHS:
        return None
    if int(table.eq(padding.pad_id).sum()) != table.numel() - padding.real:
        return None
    return f"{'end' if padding.side == 'right' else 'begin'} in runs of {padding.pad_id}"


def labels_beside(field: Field) -> Vote | None:
    """Equal to the token ids, or to the next ones, where it is not ignored."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or leaf.table.ndim < 1:
        return None
    ignored = ignored_value(leaf)
    if leaf.low < 0 and ignored is None:
        return None
    counted = leaf.table >= (0 if ignored is not None else -(2**40))
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
        if (
            vote is None
            and _two_ahead(leaf.table, ids.table, counted)
            and not _next_beside(field, other, ids)
        ):
            vote = Vote("labels", 0.86, f"equals `{other}` moved by two positions")
        if vote:
            return vote
    return None


def _two_ahead(y: Tensor, x: Tensor, counted: Tensor) -> bool:
    """Whether labels are moved once too often: equal to the ids two places on, and nowhere nearer."""
    if x.shape[-1] < MIN_ROW:
        return False
    nearer = max(_share(y == x, counted), _share(y[..., :-1] == x[..., 1:], counted[..., :-1]))
    return nearer < 0.6 and _share(y[..., :-2] == x[..., 2:], counted[..., :-2]) > 0.98


def _next_beside(field: Field, other: str, ids: Leaf) -> bool:
    """Whether another field has the next ids: labels two places on are then those of a second head."""
    return any(
        path not in (field.path, other)
        and leaf.form == "int"
        and leaf.values is not None
        and leaf.same_layout(ids)
        and leaf.table.shape == ids.table.shape
        and float((leaf.table[..., :-1] == ids.table[..., 1:]).float().mean()) > 0.9
        for path, leaf in field.scene.leaves.items()
    )


def _compared(
    y: Tensor, x: Tensor, counted: Tensor, other: str, ignored: int | None, later: bool
) -> Vote | None:
    same = _share(y == x, counted)
    if same > 0.75:
        if ignored is not None:
            return Vote("labels", 0.95, f"equals `{other}` on {same:.0%} of what is not {ignored}")
        # Equal without any ignored value: names tell which of the two is which, and else the order.
        place = "which comes before it" if later else "which comes after it"
        return Vote("labels", 0.72 if later else 0.3, f"equals `{other}`, {place}") if same == 1.0 else None
    ahead = _share(y[..., :-1] == x[..., 1:], counted[..., :-1])
    if ahead > 0.9 and same < 0.6:
        return Vote(
            "labels", 0.95 if ignored is not None else 0.86, f"equals `{other}` moved by one position"
        )
    if ignored is not None and same < 0.3 and 0.02 <= float(counted.float().mean()) <= 0.4:
        top = int(x[counted].mode().values)
        if _share(x == top, counted) > 0.5:
            return Vote("labels", 0.86, f"counted where `{other}` is mostly {top}, as for masked words")
    return None


def _share(flags: Tensor, among: Tensor) -> float:
    count = int(among.sum())
    return int((flags & among).sum()) / count if count else 0.0


def labels_by_ignored_value(field: Field) -> Vote | None:
    """Rows of whole numbers with -100, the value that torch's losses ignore."""
    leaf = field.leaf
    if leaf.form != "int" or leaf.values is None or len(leaf.shape) not in (1, 2) or leaf.total < MIN_ROW:
        return None
    if ignored_value(leaf) != -100 or leaf.high < 0:
        return None
    return Vote("labels", 0.86, "whole numbers with -100, which losses ignore")


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
    labels_beside,
    labels_by_ignored_value,
    sentences,
)
