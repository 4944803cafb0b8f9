"""Which document of a pack each token belongs to, from every way in which batches say so."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.labels import BoundarySource


def numbered(
    ids: Any, real: Any, *, segments: Any = None, bounds: Any = None, mask: Any = None, block: Any = None,
    positions: Any = None, packed: Any = None, end: int | None = None,
) -> tuple[Any, BoundarySource]:  # fmt: skip
    """Return a number for each position (0 is padding) and what told the documents apart.

    `segments` number documents, `bounds` are cumulative lengths, `mask` numbers documents from 1,
    `block` says who may attend to whom, `positions` begin anew, `packed` numbers the samples,
    `end` is the end token where it alone parts documents.
    """
    if segments is not None:
        return _by_changes(segments, real), "segments"
    if bounds is not None:
        return _by_bounds(ids, real, bounds), "bounds"
    if mask is not None:
        return _by_changes(mask, real), "mask"
    if packed is not None:
        return packed * real, "samples"
    if block is not None and (found := _by_block(block, real)) is not None:
        return found, "mask"
    if positions is not None:
        found = _by_restarts(positions, real)
        if int(found.max()) > 1:
            return found, "positions"
    if bool((gaps := _single_gaps(real)).any()):
        return _renumbered(gaps, real), "mask"
    if end is not None:
        return _by_ends(ids, real, end), "eos"
    return real.long(), "none"


def _by_changes(numbers: Any, real: Any) -> Any:
    import torch

    changed = torch.zeros_like(numbers)
    changed[:, 1:] = (numbers[:, 1:] != numbers[:, :-1]).long()
    return _renumbered(changed, real)


def _by_restarts(positions: Any, real: Any) -> Any:
    import torch

    changed = torch.zeros_like(positions)
    # Padding often has position 0 (or a ramp of its own): only steps between real tokens count.
    both = real[:, 1:] & real[:, :-1]
    changed[:, 1:] = ((positions[:, 1:] <= positions[:, :-1]) & both).long()
    return _renumbered(changed, real)


def _single_gaps(real: Any) -> Any:
    """Return flags at single padded positions between real tokens, as they stand between documents."""
    import torch

    gaps = torch.zeros_like(real, dtype=torch.long)
    gaps[:, 1:-1] = (real[:, :-2] & ~real[:, 1:-1] & real[:, 2:]).long()
    return gaps


def _by_ends(ids: Any, real: Any, end: int) -> Any:
    """What follows an end token, and is none itself, begins a document."""
    import torch

    changed = torch.zeros_like(ids)
    changed[:, 1:] = ((ids[:, :-1] == end) & (ids[:, 1:] != end)).long()
    return _renumbered(changed, real)


def _by_bounds(ids: Any, real: Any, bounds: Any) -> Any:
    import torch

    changed = torch.zeros(ids.numel(), dtype=torch.long)
    width = ids.shape[1]
    for number, row in enumerate(bounds):
        kept = row[(row >= 0)]
        whole = int(kept[-1]) == ids.numel() and bounds.shape[0] == 1
        starts = kept[:-1] if whole else kept[:-1] + number * width
        changed[starts.long()] = 1
    table = changed.reshape(ids.shape)
    table[:, 0] = 0
    return _renumbered(table, real)


def _by_block(block: Any, real: Any) -> Any:
    """A token that cannot attend to the one before it begins a document."""
    import torch

    before = torch.diagonal(block, offset=-1, dim1=1, dim2=2)
    if (
        not bool(torch.diagonal(block, dim1=1, dim2=2)[real].all())
        if block.shape[0] == real.shape[0]
        else True
    ):
        return None
    changed = torch.zeros(real.shape, dtype=torch.long)
    changed[:, 1:] = (~before).long()
    return _renumbered(changed * real, real)


def _renumbered(changed: Any, real: Any) -> Any:
    """Count documents from 1 in each row; padding is 0, and documents of padding alone do not count."""
    import torch

    raw = torch.cumsum(changed, dim=1) + 1
    raw = raw * real
    out = torch.zeros_like(raw)
    for number, row in enumerate(raw):
        kept = row[row > 0]
        if kept.numel():
            known, inverse = torch.unique_consecutive(kept, return_inverse=True)
            out[number, row > 0] = inverse + 1
            del known
    return out


def allowed_of(mask: Any, rows: int) -> Any:
    """Return who may attend to whom as ``[rows, L, L]`` flags, from a mask of any convention; None if unclear."""
    import torch

    dense = mask.detach().cpu()
    if dense.ndim == 4:
        dense = dense[:, 0]
    if dense.ndim != 3 or dense.shape[0] not in (1, rows):
        return None
    if dense.is_floating_point():
        may = dense > -1.0 if bool((dense < 0).any()) else dense != 0
    else:
        may = dense != 0
    # The first position sees itself and never the last, unless the flags mean "hidden".
    if not bool(may[:, 0, 0].any()) and bool(may[:, 0, -1].all()):
        may = ~may
    return may.expand(rows, *may.shape[1:]).to(torch.bool)


def starts_of(documents: Any) -> Any:
    """Return flags at the first token of each document but the first of a row."""
    import torch

    out = torch.zeros_like(documents, dtype=torch.bool)
    out[:, 1:] = (documents[:, 1:] > 1) & (documents[:, 1:] != documents[:, :-1])
    return out


def leaking(documents: Any, block: Any) -> list[int]:
    """Return, for each row, how many documents can see into another."""
    import torch

    counts = []
    for numbers, may in zip(documents, block, strict=True):
        seen = may & (numbers[:, None] != numbers[None, :]) & (numbers > 0)[:, None] & (numbers > 0)[None, :]
        counts.append(int(torch.unique(numbers[seen.any(dim=1)]).numel()))
    return counts
