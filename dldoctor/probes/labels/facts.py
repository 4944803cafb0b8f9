"""Reduces the rows of one batch to facts; no raw ids are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import BoundarySource, LabelGroup, Vocabulary
from dldoctor.finding import SampleId
from dldoctor.probes.labels.agreement import agreement
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.documents import leaking, numbered, starts_of
from dldoctor.probes.labels.own_tokens import Own
from dldoctor.probes.labels.tables import FILL


@dataclass(frozen=True)
class Reduced:
    """Facts of one batch, and the tables that a shown row is cut from."""

    rows: tuple[LabelRow, ...]
    documents: Any
    documents_by: BoundarySource


@dataclass(frozen=True)
class Place:
    """Where the rows of a batch stand."""

    batch: int
    group: int
    samples: Sequence[SampleId | None]
    """The sample of each row."""
    end: int | None = None
    """The end token, where it alone parts the documents of a row."""


def reduce(tables: Aligned, own: Own, group: LabelGroup, words: Vocabulary, place: Place) -> Reduced:
    """Return the facts of each row."""
    documents, by = numbered(
        tables.ids,
        own.real,
        segments=tables.segments,
        bounds=_bounds(tables),
        mask=tables.numbers,
        block=tables.block,
        positions=tables.positions,
        packed=own.packed,
        end=place.end,
    )
    columns: dict[str, list[Any]] = {}
    columns |= _lengths(tables, own)
    columns |= _targets(tables, own)
    columns |= _specials(tables, own, words, documents, _unmasked(tables, group))
    columns |= agreement(tables, group)
    columns |= _packing(tables, own, documents)
    rows = []
    for number in range(tables.ids.shape[0]):
        values = {name: column[number] for name, column in columns.items()}
        rows.append(
            LabelRow(place.batch, number, place.samples[number], place.group, width=tables.width,
                     known=own.known[number], **values)
        )  # fmt: skip
    return Reduced(tuple(rows), documents, by)


def _bounds(tables: Aligned) -> Any:
    """Bounds count the tokens of the batch, which has one column fewer where labels were moved."""
    if tables.bounds is None or tables.ids.shape[1] == tables.width:
        return tables.bounds
    return None if tables.ids.shape[0] > 1 else tables.bounds.clamp(max=tables.width)


def _lengths(tables: Aligned, own: Own) -> dict[str, list[Any]]:
    real = own.real
    counts = real.sum(1)
    first = real.int().argmax(1)
    last = real.shape[1] - 1 - real.flip(1).int().argmax(1)
    some = counts > 0
    columns = {
        "real": counts,
        "left": first * some,
        "right": (real.shape[1] - 1 - last) * some + real.shape[1] * ~some,
        "first_id": tables.ids.gather(1, first[:, None])[:, 0].masked_fill(~some, -1),
        "last_id": tables.ids.gather(1, last[:, None])[:, 0].masked_fill(~some, -1),
    }
    mask = tables.mask
    if mask is not None:
        hidden = real & ~mask
        columns["hidden"] = hidden.sum(1)
        columns["hidden_at"] = hidden.int().argmax(1).masked_fill(~hidden.any(1), -1)
        columns["attended"] = (~real & mask & tables.present).sum(1)
    return {name: column.tolist() for name, column in columns.items()}


def _targets(tables: Aligned, own: Own) -> dict[str, list[Any]]:
    if tables.targets is None:
        return {}
    targets = tables.targets & own.real
    some = targets.any(1)
    first = targets.int().argmax(1)
    last = targets.shape[1] - 1 - targets.flip(1).int().argmax(1)
    begins = targets.clone()
    begins[:, 1:] &= ~targets[:, :-1]
    near = tables.ids.gather(1, (first - 1).clamp(min=0)[:, None])[:, 0].tolist()
    far = tables.ids.gather(1, (first - 2).clamp(min=0)[:, None])[:, 0].tolist()
    heads = first.tolist()
    columns = {
        "trained": targets.sum(1),
        "first": first.masked_fill(~some, -1),
        "last": last.masked_fill(~some, -1),
        "spans": begins.sum(1),
        "pad_trained": (tables.targets & ~own.real & tables.present).sum(1),
        "last_trained_id": tables.ids.gather(1, last[:, None])[:, 0].masked_fill(~some, -1),
    }
    plain = {name: column.tolist() for name, column in columns.items()}
    plain["before"] = [
        (b, a) if trained and head >= 2 else ()
        for a, b, head, trained in zip(near, far, heads, plain["trained"], strict=True)
    ]
    return plain


def _unmasked(tables: Aligned, group: LabelGroup) -> Any:
    """Return the ids of the text: where words are masked, any id may stand in place of one."""
    import torch

    if group.label_kind != "mlm" or tables.labels is None or tables.valid is None:
        return tables.ids
    return torch.where(tables.valid, tables.labels, tables.ids)


def _specials(tables: Aligned, own: Own, words: Vocabulary, documents: Any, ids: Any) -> dict[str, list[Any]]:
    import torch

    real = own.real
    plain = ids.masked_fill(~real, 0)
    columns = {
        "low": ids.masked_fill(~real, FILL + 2**32).amin(1).clamp(max=2**31 - 1),
        "high": plain.amax(1),
    }
    named = [one for one in (words.eos, words.bos, words.pad, *words.special) if one is not None]
    named = [one for one in named if one not in words.placeholders]  # a picture is content
    columns["plain"] = (real & ~torch.isin(ids, torch.tensor(named, dtype=torch.long))).sum(1)
    if words.size is not None or bool((plain < 0).any()):
        odd = real & ((ids < 0) | (ids >= (words.size or 2**40)))
        for one in words.placeholders:
            odd &= ids != one
        columns["beyond"] = odd.sum(1)
    if words.eos is not None:
        ends = (ids == words.eos) & real
        columns["eos"] = ends.sum(1)
        last = ids.shape[1] - 1 - real.flip(1).int().argmax(1)
        columns["eos_last"] = ends.gather(1, last[:, None])[:, 0]
        settled = (ends | ~real).long()
        run = torch.cumprod(settled.flip(1), 1).flip(1).bool() & ends
        columns["eos_tail"] = run.sum(1)
        if tables.targets is not None:
            columns["eos_trained"] = (ends & tables.targets).sum(1)
            coming = torch.cumsum((tables.targets & real).long().flip(1), 1).flip(1)  # targets from here on
            columns["eos_after"] = (ends & (coming == 0)).sum(1)
            behind = ends[:, 1:] & (tables.targets & real)[:, :-1] & ~tables.targets[:, 1:]
            columns["eos_passed"] = behind.sum(1)
    if words.bos is not None:
        columns |= _starts(tables, own, words, documents, ids)
    if words.placeholders:
        held = torch.isin(ids, torch.tensor(words.placeholders)) & real
        columns["placeholders"] = held.sum(1)
        if tables.targets is not None:
            columns["placeholder_trained"] = (held & tables.targets).sum(1)
    return {name: column.tolist() for name, column in columns.items()}


def _starts(tables: Aligned, own: Own, words: Vocabulary, documents: Any, ids: Any) -> dict[str, Any]:
    import torch

    real = own.real
    starts = (ids == words.bos) & real
    lead = torch.cumprod((starts | (torch.cumsum(real.long(), 1) == 0)).long(), 1).bool() & starts
    columns = {"bos_lead": lead.sum(1)}
    if tables.targets is not None and words.bos != words.eos:
        inside = starts & tables.targets & ~lead & ~starts_of(documents)
        if words.eos is not None:
            inside[:, 1:] &= ids[:, :-1] != words.eos
        columns["bos_trained"] = inside.sum(1)
    return columns


def _packing(tables: Aligned, own: Own, documents: Any) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"documents": documents.amax(1).tolist()}
    if tables.positions is not None:
        steps = tables.positions[:, 1:] != tables.positions[:, :-1] + 1
        back = tables.positions[:, 1:] <= tables.positions[:, :-1]
        both = own.real[:, 1:] & own.real[:, :-1]
        anew = steps & back & both
        columns["restarts"] = (anew.sum(1) + own.real.any(1).long()).tolist()
        columns["beside"] = (starts_of(documents)[:, 1:] & ~anew).sum(1).tolist()
    if tables.targets is not None:
        columns["bound_trained"] = (starts_of(documents) & tables.targets & own.real).sum(1).tolist()
    if tables.block is not None and bool((documents > 1).any()):
        columns["leaks"] = leaking(documents, tables.block)
    return columns


def share_by_tenth(targets: Any, real: Any) -> list[tuple[int, int]]:
    """Return real tokens and targets of each tenth of the rows."""
    width = real.shape[1]
    edges = [round(step * width / 10) for step in range(11)]
    pairs = []
    for low, high in pairwise(edges):
        part = real[:, low:high]
        pairs.append((int(part.sum()), int((targets[:, low:high] & part).sum())))
    return pairs
