"""Samples that come padded to one width already: what of their tokens is the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dldoctor.evidence.labels import Vocabulary
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.own_tokens import pad_id_of, padding_by_values, runs_of
from dldoctor.probes.labels.provenance import Part
from dldoctor.roles.padding import ONE_ROW_RUN

Parts = tuple[Part, ...]


def without_padding(tables: Aligned, parts: Sequence[Parts], words: Vocabulary) -> list[Parts]:
    """Return the stretches that came from samples, without the padding that those had.

    A sample's own length tells its text from padding only where the collate pads. Where the dataset
    pads, samples are of one length; a run of the pad id at an end is then padding if the mask is off
    there, or if without a mask nothing in it is a target.
    """
    pad = words.pad if words.pad is not None else pad_id_of(tables)
    whole = {found[0].whole for found in parts if _fills(found, tables.width)}
    if pad is None or not whole:
        return list(parts)
    fixed = len(parts) > 1 and len(whole) == 1 and all(_fills(found, tables.width) for found in parts)
    off = _off(tables, pad, words)
    return [
        (_shortened(found[0], off[row]),)
        if _fills(found, tables.width) and (fixed or int(off[row].sum()) >= ONE_ROW_RUN)
        else found
        for row, found in enumerate(parts)
    ]


def _fills(found: Parts, width: int) -> bool:
    return len(found) == 1 and found[0].start == 0 and found[0].whole == found[0].length == width


def _off(tables: Aligned, pad: int, words: Vocabulary) -> Any:
    """Return flags of the padding at both ends of rows."""
    import torch

    head, tail = runs_of(tables, pad)
    if tables.mask is None:
        off = padding_by_values(tables, head, tail, pad, words)
    else:
        off = (head | tail) & ~tables.mask
    if tables.targets is not None:
        off = off & ~tables.targets
    ends = torch.cumprod(off.long(), 1) + torch.cumprod(off.long().flip(1), 1).flip(1)
    return ends.bool()


def _shortened(part: Part, off: Any) -> Part:
    kept = (~off[: part.length]).nonzero().flatten()
    if not kept.numel() or kept.numel() == part.length:
        return part
    start, end = int(kept[0]), int(kept[-1]) + 1
    return replace(
        part, start=start, length=end - start, whole=end - start, skipped=part.skipped + start, padded=True
    )
