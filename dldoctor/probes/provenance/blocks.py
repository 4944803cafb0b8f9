"""Fields with several entries a sample, one sample after another: boxes, patches, crops, packed tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor
from dldoctor.probes.provenance.content import close, content, equal

Sources = frozenset[int]


@dataclass(frozen=True)
class Blocks:
    """Entries of a batch beside the entries that each sample gave alone."""

    path: str
    whole: Any
    """A tensor whose first axis runs over the entries, or a tuple of contents."""
    pieces: tuple[Any, ...]
    """The same of each sample; null where the collate refused it alone."""

    @property
    def absent(self) -> Sources:
        """Samples that gave no entry, or were refused."""
        return frozenset(i for i, piece in enumerate(self.pieces) if piece is None or not len(piece))

    def follows(self, rows: Sequence[Sources]) -> bool:
        """Whether blocks of samples that the rows may have, one after another, are the whole."""
        ends = {0}
        for sources in rows:
            ends = {
                at + length
                for sample in sources or range(len(self.pieces))
                for at in ends
                if (length := self._length_at(at, sample)) is not None
            }
        return len(self.whole) in ends

    def _length_at(self, at: int, sample: int) -> int | None:
        """Return the entries of a sample, none of one that was refused; null where they don't lie there."""
        piece = self.pieces[sample]
        if piece is None:
            return 0
        return len(piece) if _lies_at(self.whole, at, piece) else None

    def order(self) -> tuple[Sources, ...] | None:
        """Return the samples behind each block, from the first to the last; None where they don't fit."""
        pieces = {i: piece for i, piece in enumerate(self.pieces) if piece is not None and len(piece)}
        left, found, at = dict(pieces), list[Sources](), 0
        while at < len(self.whole):
            fits = [i for i, piece in left.items() if _lies_at(self.whole, at, piece)]
            if not fits:
                return None
            # The longest one: a short piece may be the beginning of another.
            chosen = max(fits, key=lambda i: len(left[i]))
            length = len(left.pop(chosen))
            found.append(
                frozenset(
                    i for i, one in pieces.items() if len(one) == length and _lies_at(self.whole, at, one)
                )
            )
            at += length
        return tuple(found)


def blocks_of(path: str, leaf: Any, gave: Sequence[Any]) -> Blocks | None:
    """Return a field as blocks, if batch and samples have it in one form."""
    if is_array(leaf):
        whole = as_tensor(leaf)
        pieces = tuple(None if one is None else as_tensor(one) for one in gave)
        if whole is None or whole.ndim == 0:
            return None
        known = [one for one in pieces if one is not None]
        if not known or any(one.ndim != whole.ndim for one in known):
            return None
        return Blocks(path, whole, pieces)
    if not isinstance(leaf, (list, tuple)):
        return None
    listed = tuple(None if one is None else tuple(content(part) for part in one) for one in gave
                   if one is None or isinstance(one, (list, tuple)))  # fmt: skip
    return Blocks(path, tuple(content(one) for one in leaf), listed) if len(listed) == len(gave) else None


def _lies_at(whole: Any, at: int, piece: Any) -> bool:
    if at + len(piece) > len(whole):
        return False
    part = whole[at : at + len(piece)]
    if is_array(whole):
        return tuple(part.shape) == tuple(piece.shape) and close(part, piece)
    return all(
        one is not None and other is not None and equal(one, other)
        for one, other in zip(part, piece, strict=True)
    )


def row_index_for(entries: int, batch: Mapping[str, Any], alone: Sequence[Mapping[str, Any] | None]) -> Any:
    """Return the field that tells the row of each of so many entries; None where there is none."""
    for path, leaf in batch.items():
        table = as_tensor(leaf) if is_array(leaf) else None
        if table is None or table.ndim != 1 or len(table) != entries or table.is_floating_point():
            continue
        gave = [as_tensor(one[path]) for one in alone if one is not None and path in one]
        named = set(table.tolist())
        zeros = all(one is not None and bool((one == 0).all()) for one in gave)
        if gave and zeros and len(named) > 1 and named <= set(range(len(alone))):
            return table
    return None
