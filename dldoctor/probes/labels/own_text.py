"""Labels that are a text of their own, as in an encoder-decoder batch, told by all first batches together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    pairs = [(ids, labels, seen) for ids, labels, seen in _pairs(group, waiting)]
    same = [(ids, labels, seen) for ids, labels, seen in pairs if ids.shape == labels.shape]
    if not same or any(_in_pieces(labels, ignored_value(labels, intent)) for _, labels, _ in same):
        return False
    if group.label_kind == "other" and any(
        stand_elsewhere(ids, labels, _counted(labels, ignored_value(labels, intent)))
        for ids, labels, _ in same
    ):
        return False
    if len(same) < len(pairs) or any(
        _goes_on(group, ids, labels, seen, ignored_value(labels, intent)) for ids, labels, seen in same
    ):
        return True
    high = max(int(labels.max()) for _, labels, _ in same)
    if high < MOST_CLASSES and max(int(ids.max()) for ids, _, _ in same) >= WIDER * (high + 1):
        return False  # classes of words, some of them lost: not a second text
    return any(_lengths_differ(group, seen) for seen in waiting)


def _pairs(group: LabelGroup, waiting: Sequence[Seen]) -> list[tuple[Any, Any, Seen]]:
    found = []
    for seen in waiting:
        ids = table_of(seen.leaves.get(group.tokens), len(seen.samples))
        labels = table_of(seen.leaves.get(group.labels or ""), len(seen.samples))
        if ids is not None and labels is not None and len(ids) == len(labels):
            found.append((ids, labels, seen))
    return found


def _counted(labels: Any, ignored: int | None) -> Any:
    return (labels >= 0) if ignored is None else (labels >= 0) & (labels != ignored)


def _in_pieces(labels: Any, ignored: int | None) -> bool:
    """Whether ignored labels stand between others: classes of some tokens, not a text."""
    counted = _counted(labels, ignored)
    begins = counted.clone()
    begins[:, 1:] &= ~counted[:, :-1]
    return int((begins.sum(1) > 1).sum()) > FEW * len(labels)


def _goes_on(group: LabelGroup, ids: Any, labels: Any, seen: Seen, ignored: int | None) -> bool:
    """Whether different labels follow where the ids of a row have ended."""
    mask = (
        table_of(seen.leaves.get(group.mask or ""), len(seen.samples)) if group.mask_kind == "flags" else None
    )
    flags = mask != 0 if mask is not None and mask.shape == ids.shape else None
    padding = padding_of(ids, flags)
    if padding.side != "right":
        return False
    counted = _counted(labels, ignored)
    return any(
        int(row[length:][kept[length:]].unique().numel()) >= VARIED
        for row, kept, length in zip(labels, counted, padding.lengths, strict=True)
    )


def _lengths_differ(group: LabelGroup, seen: Seen) -> bool:
    traces = seen.trace.samples if seen.trace is not None else ()
    return any(
        len(one.sequences[group.tokens]) != len(one.sequences[group.labels])
        for one in traces
        if group.labels is not None and group.tokens in one.sequences and group.labels in one.sequences
    )
