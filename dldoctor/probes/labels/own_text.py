"""Labels that are a text of their own, as in an encoder-decoder batch, told by all first batches together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dldoctor.evidence.labels import LabelGroup
from dldoctor.probes.labels.agreement import MOST_CLASSES, stand_elsewhere
from dldoctor.probes.labels.layout import ignored_value
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.tables import table_of
from dldoctor.roles.padding import padding_of

VARIED = 3
"""So many different labels behind the end of a row are words; padding is one value."""
WIDER = 8
"""Ids that reach so many times farther than the labels are words, and the labels are classes of them."""
FEW = 0.05
"""Share of rows with ignored labels between others, up to which labels run through."""


def text_of_its_own(group: LabelGroup, waiting: Sequence[Seen], intent: Any) -> bool:
    """Whether labels that neither repeat the ids nor follow them are a text with a length of its own.

    They are of the ids' width now and then by chance. Proof is another width in any batch, another length in
    any sample, or words at places where the ids of the row have ended.
    """
    pairs = paired_tables(group, waiting)
    same = [
        (one, _counted(one.labels, ignored_value(one.labels, intent)))
        for one in pairs
        if one.ids.shape == one.labels.shape
    ]
    if not same or any(_in_pieces(counted) for _, counted in same):
        return False
    if group.label_kind == "other" and any(
        stand_elsewhere(one.ids, one.labels, counted) for one, counted in same
    ):
        return False
    if len(same) < len(pairs) or any(_goes_on(group, one, counted) for one, counted in same):
        return True
    high = max(int(one.labels.max()) for one, _ in same)
    if high < MOST_CLASSES and max(int(one.ids.max()) for one, _ in same) >= WIDER * (high + 1):
        return False  # classes of words, some of them lost: not a second text
    return any(_lengths_differ(group, seen) for seen in waiting)


class Pair(NamedTuple):
    """Ids of one batch and the labels of a group beside them, as tables of as many rows."""

    ids: Any
    labels: Any
    seen: Seen


def paired_tables(group: LabelGroup, waiting: Sequence[Seen]) -> list[Pair]:
    """Return the ids and labels of the batches that have both, row by row."""
    found = []
    for seen in waiting:
        ids = table_of(seen.leaves.get(group.tokens), len(seen.samples))
        labels = table_of(seen.leaves.get(group.labels or ""), len(seen.samples))
        if ids is not None and labels is not None and len(ids) == len(labels):
            found.append(Pair(ids, labels, seen))
    return found


def _counted(labels: Any, ignored: int | None) -> Any:
    return (labels >= 0) if ignored is None else (labels >= 0) & (labels != ignored)


def _in_pieces(counted: Any) -> bool:
    """Whether ignored labels stand between others: classes of some tokens, not a text."""
    begins = counted.clone()
    begins[:, 1:] &= ~counted[:, :-1]
    return int((begins.sum(1) > 1).sum()) > FEW * len(counted)


def _goes_on(group: LabelGroup, pair: Pair, counted: Any) -> bool:
    """Whether different labels follow where the ids of a row have ended."""
    leaf = pair.seen.leaves.get(group.mask or "") if group.mask_kind == "flags" else None
    mask = table_of(leaf, len(pair.seen.samples))
    flags = mask != 0 if mask is not None and mask.shape == pair.ids.shape else None
    padding = padding_of(pair.ids, flags)
    if padding.side != "right":
        return False
    return any(
        int(row[length:][kept[length:]].unique().numel()) >= VARIED
        for row, kept, length in zip(pair.labels, counted, padding.lengths, strict=True)
    )


def _lengths_differ(group: LabelGroup, seen: Seen) -> bool:
    traces = seen.trace.samples if seen.trace is not None else ()
    return any(
        len(one.sequences[group.tokens]) != len(one.sequences[group.labels])
        for one in traces
        if group.labels is not None and group.tokens in one.sequences and group.labels in one.sequences
    )
