"""Tells the real tokens of a row from its padding, by the best evidence that there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from dldoctor.evidence.labels import Vocabulary
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.provenance import Part

Known = Literal["sample", "mask", "pad", "full"]


MOSTLY = 0.8
"""Share of single pads that must be followed by a row's first id, before they part documents."""


class Own(NamedTuple):
    """What of a table is real."""

    real: Any
    """Flags of the tokens that are no padding."""
    packed: Any | None
    """Number of the sample of each position, from 1; null where no row holds several."""
    known: tuple[Known, ...]
    pad: int | None


def own_tokens(tables: Aligned, parts: Sequence[tuple[Part, ...]], words: Vocabulary) -> Own:
    """Return the real tokens of each row."""
    import torch

    pad = words.pad if words.pad is not None else pad_id_of(tables)
    head, tail = runs_of(tables, pad)
    same = pad is not None and pad == words.eos
    if tables.mask is None:
        real = tables.present & ~padding_by_values(tables, head, tail, pad, words)
    else:
        shown = _between(tables.mask)
        real = (
            (shown | _special_beside(tables, shown, pad, words))
            & tables.present
            & ~_attended(tables, head, tail, pad, words)
        )
    known: list[Known] = ["full" if bool(row.all()) else "pad" for row in (real | ~tables.present)]
    if tables.mask is not None:
        known = ["mask"] * len(known)
    packed = None
    for number, found in enumerate(parts):
        if not found:
            continue
        if len(found) > 1:
            packed = torch.zeros_like(tables.ids) if packed is None else packed
        end = max(part.start + part.length for part in found)
        start = found[0].start
        if not any(part.padded for part in found):
            known[number] = "sample"
        appended = same and tables.mask is not None and _is_end(tables.mask[number], end)
        beyond = tail[number].clone()
        beyond[: end + appended] = False
        real[number] &= ~beyond
        before = head[number].clone()
        before[start:] = False
        real[number] &= ~before
        real[number, start:end] = tables.present[number, start:end]
    if packed is not None:
        _number(packed, parts, real)
    if pad is not None and not same:
        real &= ~_separators(tables, real, pad)
    return Own(real, packed, tuple(known), pad)


def _number(packed: Any, parts: Sequence[tuple[Part, ...]], real: Any) -> None:
    for number, found in enumerate(parts):
        if len(found) < 2:
            packed[number] = real[number].long()
            continue
        # What a collate puts between two samples (an end token) belongs to the one before it.
        for place, part in enumerate(found):
            until = found[place + 1].start if place + 1 < len(found) else packed.shape[1]
            packed[number, part.start if place else 0 : until] = place + 1


def _separators(tables: Aligned, real: Any, pad: int) -> Any:
    """Return flags of single pads under mask 0 behind which a row begins once more.

    A word of the text whose id is the pad id lies under mask 0 too, but what follows it is any word.
    """
    import torch

    out = torch.zeros_like(real)
    if tables.mask is not None:
        off = ~tables.mask & (tables.ids == pad)
        first = tables.ids.gather(1, real.int().argmax(1)[:, None])
        between = off[:, 1:-1] & tables.mask[:, :-2] & tables.mask[:, 2:]
        again = between & (tables.ids[:, 2:] == first)
        # A word whose id is hidden everywhere is followed by a row's first word now and then.
        if int(again.sum()) >= MOSTLY * int(between.sum()):
            out[:, 1:-1] = again
    return out


def _special_beside(tables: Aligned, shown: Any, pad: int | None, words: Vocabulary) -> Any:
    """Return flags of start and end tokens just beside what the mask shows: they are hidden, and no padding."""
    import torch

    out = torch.zeros_like(tables.present)
    if words.bos is not None and words.bos != pad:
        out[:, :-1] |= shown[:, 1:] & ~shown[:, :-1] & (tables.ids[:, :-1] == words.bos)
    if words.eos is not None and words.eos != pad:
        out[:, 1:] |= shown[:, :-1] & ~shown[:, 1:] & (tables.ids[:, 1:] == words.eos)
    return out


def _is_end(mask: Any, end: int) -> bool:
    """Whether the mask shows just one token more than the sample had."""
    return end < len(mask) and bool(mask[end]) and (end + 1 == len(mask) or not bool(mask[end + 1]))


def pad_id_of(tables: Aligned) -> int | None:
    """Return the one id under mask 0, or that of runs which fill rows of different lengths."""
    from dldoctor.roles.padding import padding_of

    if tables.mask is not None:
        beyond = ~tables.mask & ~_between(tables.mask) & tables.present
        off = tables.ids[beyond]
        # One position of each row, and none beside the longest, is no padding: a mask hides a start token.
        single = (
            off.numel() == len(beyond) > 1 and bool((beyond.sum(1) == 1).all()) and bool(beyond[:, 0].all())
        )
        if off.numel() and not single:
            return int(off[0]) if bool((off == off[0]).all()) else None
    if not bool(tables.present.all()):
        return None
    found = padding_of(tables.ids[:64])
    return found.pad_id if found.source == "values" else None


def _between(mask: Any) -> Any:
    """Return flags from the first to the last position that is on: a hole in a mask is no padding."""
    import torch

    on = mask.long()
    return (torch.cumsum(on, 1) > 0) & (torch.cumsum(on.flip(1), 1).flip(1) > 0)


def runs_of(tables: Aligned, pad: int | None) -> tuple[Any, Any]:
    """Return flags of the runs of the pad id at the beginning and at the end of rows."""
    import torch

    if pad is None:
        none = torch.zeros_like(tables.present)
        return none, none
    is_pad = ((tables.ids == pad) | ~tables.present).long()
    return torch.cumprod(is_pad, 1).bool(), torch.cumprod(is_pad.flip(1), 1).flip(1).bool()


def padding_by_values(tables: Aligned, head: Any, tail: Any, pad: int | None, words: Vocabulary) -> Any:
    """Return what runs of the pad id cover, where no mask tells; a last document of pad ids alone is padding."""
    import torch

    padded = _padded(tables, head, tail, keep_one=pad == words.eos or words.eos is None)
    numbers = tables.segments
    if numbers is None or numbers.shape != tail.shape:
        return padded
    last = torch.cumprod((numbers == numbers[:, -1:]).long().flip(1), 1).flip(1).bool()
    alone = (last & ~tail).sum(1, keepdim=True) == 0
    return padded | (last & alone & ~last.all(1, keepdim=True) & tables.present)


def _padded(tables: Aligned, head: Any, tail: Any, *, keep_one: bool) -> Any:
    """Return what runs of the pad id cover; where it is the end token too, the first of a run is that."""
    tail = tail.clone()
    if keep_one:
        first = tail.clone()
        first[:, 1:] &= ~tail[:, :-1]
        tail &= ~first
        head = head & (head.sum(1, keepdim=True) > 1)
    return (head | tail) & tables.present


def _attended(tables: Aligned, head: Any, tail: Any, pad: int | None, words: Vocabulary) -> Any:
    """Return padding that the mask shows: runs of the pad id of which a part or all is on."""
    import torch

    if pad is None or tables.mask is None:
        return torch.zeros_like(tables.present)
    shown = _padded(tables, head, tail, keep_one=pad == words.eos or words.eos is None)
    return shown & tables.mask
