"""Whether all fields of a batch's rows come from the same samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dldoctor.probes.provenance.blocks import Blocks
from dldoctor.probes.provenance.content import equal
from dldoctor.probes.provenance.left_out import is_told, left_out, one_a_sample
from dldoctor.probes.provenance.tracing import Sources, Traced

MORE_ROWS = "more rows than the others"


@dataclass(frozen=True)
class Disagreement:
    """A field whose rows come from other samples than those of the reference."""

    path: str
    rows: tuple[int, ...]
    """Rows of the batch that are wrong."""
    lost: Sources = frozenset()
    """Samples that the field left out."""
    twin: str | None = None
    """Another field that holds the same content and agrees with the reference."""


@dataclass(frozen=True)
class Verdict:
    """What the fields of one batch show."""

    rows: int
    """Rows of the batch that could be compared."""
    reference: str | None = None
    disagreements: tuple[Disagreement, ...] = ()
    without_source: int = 0
    unjudged: dict[str, str] = field(default_factory=dict)
    """Field to why it was left out."""

    @property
    def wrong(self) -> frozenset[int]:
        """Rows in which a field disagrees; one whose twin agrees counts only where there is no other."""
        unlike = [one for one in self.disagreements if one.twin is None] or self.disagreements
        return frozenset(row for one in unlike for row in one.rows)


def agree(fields: Sequence[Traced], blocks: Sequence[Blocks], given: int, lacking: Sources) -> Verdict:
    """Compare the fields of a batch; `lacking` are samples that do not have all parts of the data."""
    unjudged: dict[str, str] = {}
    height = _height(fields, given)
    usable = [one for one in fields if _tells(one, height, unjudged)]
    whole = [one for one in usable if len(one.rows) >= height]
    if height < 2 or not whole:
        return Verdict(0, unjudged=unjudged)
    reference = max(whole, key=lambda one: _standing(one, whole))
    found, without = list[Disagreement](), 0
    for one in usable:
        if one is reference:
            continue
        wrong, lost = _against(one, reference, height)
        lacked = 0
        without_entry = left_out(one, reference) if wrong and len(one.rows) < height else None
        if without_entry is not None and is_told(one, without_entry, height, fields, blocks):
            wrong, lacked = (), len(without_entry)
        without = max(without, lacked)
        if wrong:
            found.append(Disagreement(one.path, wrong, lost))
    for block in blocks:
        wrong, lost, lacked = _blocks_against(block, reference, lacking, unjudged)
        without = max(without, lacked)
        if wrong:
            found.append(Disagreement(block.path, wrong, lost))
    bad = {one.path for one in found}
    good = [one for one in usable if one.path not in bad]
    told = [Disagreement(one.path, one.rows, one.lost, _twin(one.path, usable, good)) for one in found]
    for each in told:
        if each.twin and not next(one.column.rich for one in usable if one.path == each.path):
            unjudged[each.path] = f"the numbers of `{each.twin}` in another order"
    told = [each for each in told if each.path not in unjudged]
    compared = {row for row in range(height) if sum(_at(one, row) for one in usable) + len(blocks) > 1}
    compared.update(row for each in told for row in each.rows)
    return Verdict(len(compared), reference.path, tuple(told), without, unjudged)


def _height(fields: Sequence[Traced], given: int) -> int:
    """Return how many rows the batch has: what most fields have, or one that has more samples."""
    counts = Counter(len(one.rows) for one in fields if one.known and len(one.rows) <= given)
    if given > 1 and len(counts) > 1:
        counts.pop(1, None)  # a number for the whole batch
    common = max(counts, key=lambda rows: (counts[rows], rows), default=0)
    # Several fields of one part of the data may have lost the samples that a single one still has.
    fuller = [
        len(one.rows)
        for one in fields
        if common < len(one.rows) <= given and one.column.rich and one_a_sample(one)
    ]
    return max(fuller, default=common)


def _tells(one: Traced, height: int, unjudged: dict[str, str]) -> bool:
    """Whether the rows of a field say which samples they are of."""
    if len(one.rows) == 1 and height > 1:
        return False
    if not one.known:
        if one.column.rich:
            unjudged[one.path] = (
                "mixed of several samples"
                if one.mixed
                else "equals no sample: the collate makes it, or changes it"
            )
        return False
    if len(one.rows) > height and any(one.rows[height:]):
        unjudged[one.path] = MORE_ROWS
        return False
    if one.column.rich:
        # What only counts the width of the batch is that of its longest sample in every row.
        return not (one.same_everywhere() and one.nested())
    # A few numbers may be equal by chance, or be computed from the whole batch.
    return one.known == len(one.rows) and not one.same_everywhere()


def _at(one: Traced, row: int) -> bool:
    return row < len(one.rows) and bool(one.rows[row])


def _conflicts(one: Traced, other: Traced) -> tuple[int, ...]:
    return tuple(
        row for row, (a, b) in enumerate(zip(one.rows, other.rows, strict=False)) if a and b and not a & b
    )


def _standing(one: Traced, whole: Sequence[Traced]) -> tuple[int, int, int]:
    agreeing = sum(not _conflicts(one, other) for other in whole)
    in_order = sum(row in sources for row, sources in enumerate(one.rows))
    return agreeing, in_order, sum(len(sources) == 1 for sources in one.rows)


def _against(one: Traced, reference: Traced, height: int) -> tuple[tuple[int, ...], Sources]:
    """Return the wrong rows, and the samples left out."""
    wrong = _conflicts(one, reference)
    if len(one.rows) >= height:
        return wrong, frozenset()
    lost = frozenset().union(*reference.rows) - frozenset().union(*one.rows)
    if not lost:
        return (), lost  # each value is there: repeated ones were left out, on purpose
    return (*wrong, *range(len(one.rows), height)), lost


def _blocks_against(
    block: Blocks, reference: Traced, lacking: Sources, unjudged: dict[str, str]
) -> tuple[tuple[int, ...], Sources, int]:
    # Blocks of equal entries fit in many ways; one that follows the other fields is enough.
    if block.follows(reference.rows):
        return (), frozenset(), len(block.absent & lacking)
    order = block.order()
    if order is None:
        unjudged[block.path] = "no row of parts of the samples"
        return (), frozenset(), 0
    absent = block.absent
    rows = [row for row, sources in enumerate(reference.rows) if sources and not sources <= absent]
    if any(not sources for sources in reference.rows) or any(reference.rows[row] & absent for row in rows):
        return (), frozenset(), 0  # which rows have a block is not known
    wrong = [row for row, one in zip(rows, order, strict=False) if not one & reference.rows[row]]
    wrong += rows[len(order) :]
    lost = frozenset().union(*(reference.rows[row] for row in rows)) - frozenset().union(*order)
    return tuple(wrong), lost if wrong else frozenset(), len(absent & lacking)


def _twin(path: str, usable: Sequence[Traced], good: Sequence[Traced]) -> str | None:
    """Return a field that agrees and in which each sample gave the same content as in this one."""
    own = next((one.column for one in usable if one.path == path), None)
    if own is None:
        return None
    for other in good:
        pairs = list(zip(own.pieces, other.column.pieces, strict=True))
        alike = [
            len(a) == len(b)
            and all(x is not None and y is not None and equal(x, y) for x, y in zip(a, b, strict=True))
            for a, b in pairs
            if a is not None and b is not None
        ]
        if other.path != path and alike and all(alike):
            return other.path
    return None
