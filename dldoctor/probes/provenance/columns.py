"""One field of a batch as rows, beside what each sample gave for it when it was collated alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor
from dldoctor.probes.provenance.blocks import Blocks, blocks_of, row_index_for
from dldoctor.probes.provenance.content import RICH, Content, content, equal

Leaves = Mapping[str, Any]
Entries = tuple[Content | None, ...]


@dataclass(frozen=True)
class Column:
    """A field with one entry a row."""

    path: str
    rows: Entries
    """What the batch has."""
    pieces: tuple[Entries | None, ...]
    """What each sample gave alone; null where the collate refused it alone."""

    @property
    def rich(self) -> bool:
        """Whether its values are too long to be equal by chance."""
        known = [one for piece in self.pieces for one in piece or () if one is not None]
        return sum(one.size >= RICH for one in known) * 2 > len(known)

    @property
    def absent(self) -> frozenset[int]:
        """Samples that gave nothing, or were refused."""
        return frozenset(i for i, piece in enumerate(self.pieces) if not piece)


def columns_of(batch: Leaves, alone: Sequence[Leaves | None]) -> list[Column | Blocks]:
    """Return the fields of a batch that have rows."""
    found: list[Column | Blocks] = []
    for path, leaf in batch.items():
        gave = [None if one is None or path not in one else one[path] for one in alone]
        if any(one is not None for one in gave):
            found += _fields(path, leaf, gave, batch, alone)
    return found


def _fields(
    path: str, leaf: Any, gave: Sequence[Any], batch: Leaves, alone: Sequence[Leaves | None]
) -> list[Any]:
    indexed = _by_index_column(path, leaf, gave)
    if indexed is not None:
        return [indexed]
    axis = _axis(leaf, [one for one in gave if one is not None])
    counts = {_count(one, leaf, axis) for one in gave if one is not None}
    if not counts or None in counts:
        return []
    if counts <= {0, 1}:
        rows = _entries(leaf, axis)
        pieces = tuple(None if one is None else _piece(one, leaf, axis) for one in gave)
        return [] if rows is None else [Column(path, rows, pieces)]
    blocks = blocks_of(path, leaf, gave) if axis == 0 else None
    if blocks is None:
        return []
    index = row_index_for(len(blocks.whole), batch, alone) if is_array(leaf) else None
    if index is not None:
        return [_by_index(path, blocks.whole, blocks.pieces, index, len(gave))]
    return _views(blocks, {count for count in counts if count is not None}) or [blocks]


def _views(blocks: Blocks, counts: set[int]) -> list[Column]:
    """Split a field whose first rows are one view of all samples, and the next another view of them."""
    each, given = max(counts), len(blocks.pieces)
    if len(counts) != 1 or None in blocks.pieces or len(blocks.whole) != each * given or given < 2:
        return []
    rows: Any = _entries(blocks.whole, 0) if is_array(blocks.whole) else blocks.whole
    pieces: list[Any] = [_entries(one, 0) if is_array(one) else one for one in blocks.pieces]
    first = pieces[0][1]
    if first is None or (rows[1] is not None and equal(first, rows[1])):
        return []  # the views of one sample lie side by side
    return [
        Column(
            f"{blocks.path}[{view * given}:{(view + 1) * given}]",
            tuple(rows[view * given : (view + 1) * given]),
            tuple((one[view],) for one in pieces),
        )
        for view in range(each)
    ]


def _axis(leaf: Any, known: Sequence[Any]) -> int:
    """Return the axis of the rows: the second where every sample alone has 1 there and more in front."""
    shapes = [tuple(one.shape) for one in known if is_array(one)]
    if not is_array(leaf) or len(leaf.shape) < 2 or not shapes:
        return 0
    alike = all(len(shape) == len(leaf.shape) for shape in shapes)
    if not alike or all(shape[0] == 1 for shape in shapes):
        return 0
    return int(leaf.shape[1] > 1 and all(shape[1] == 1 for shape in shapes))


def _count(gave: Any, leaf: Any, axis: int) -> int | None:
    if is_array(leaf):
        if not is_array(gave):
            return 1 if isinstance(gave, (int, float)) and len(leaf.shape) == 1 else None
        if len(gave.shape) == len(leaf.shape) - 1:
            return 1  # a collate that squeezes a batch of one
        return int(gave.shape[axis]) if len(gave.shape) == len(leaf.shape) > axis else None
    return len(gave) if isinstance(leaf, (list, tuple)) and isinstance(gave, (list, tuple)) else None


def _entries(leaf: Any, axis: int) -> Entries | None:
    if is_array(leaf):
        tensor = as_tensor(leaf)
        return None if tensor is None else tuple(content(one) for one in tensor.detach().unbind(axis))
    return tuple(content(one) for one in leaf)


def _piece(gave: Any, leaf: Any, axis: int) -> Entries | None:
    if not is_array(leaf):
        return tuple(content(one) for one in gave)
    if not is_array(gave) or len(gave.shape) < len(leaf.shape):
        return (content(gave),)
    return _entries(gave, axis)


def _by_index_column(path: str, leaf: Any, gave: Sequence[Any]) -> Column | None:
    """Return a table of boxes that names the row of each in its first (or last) column."""
    table = as_tensor(leaf) if is_array(leaf) else None
    tables = [as_tensor(one) if is_array(one) else None for one in gave]
    kept = [one for one in tables if one is not None]
    if table is None or table.ndim != 2 or table.shape[1] < 3 or not kept:
        return None
    if any(one.ndim != 2 or one.shape[1] != table.shape[1] for one in kept):
        return None
    for place in (0, table.shape[1] - 1):
        named = table[:, place]
        zeros = all(bool((one[:, place] == 0).all()) for one in kept)
        if zeros and len(set(named.tolist())) > 1 and set(named.tolist()) <= set(range(len(gave))):
            keep = [at for at in range(table.shape[1]) if at != place]
            cut = [None if one is None else one[:, keep] for one in tables]
            return _by_index(path, table[:, keep], cut, named, len(gave))
    return None


def _by_index(path: str, whole: Any, pieces: Sequence[Any], index: Any, rows: int) -> Column:
    return Column(
        path,
        tuple(content(whole[index == row]) for row in range(rows)),
        tuple(None if one is None else (content(one),) for one in pieces),
    )
