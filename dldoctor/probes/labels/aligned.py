"""One batch's tables in one convention: the label of a position says whether its own token is a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.labels import LabelGroup
from dldoctor.foreign import has
from dldoctor.probes.labels.documents import allowed_of
from dldoctor.probes.labels.tables import FILL, table_of


@dataclass
class Aligned:
    """Tables of one group, all ``[rows, width]``."""

    ids: Any
    present: Any
    """Flags where a ragged row has an element."""
    mask: Any | None
    """Flags of the attention mask, true where a token is attended to; null without a flat mask."""
    numbers: Any | None
    """Document numbers that the mask holds."""
    labels: Any | None
    """The labels as they are in the batch."""
    valid: Any | None
    """Flags of labels that count, where they stand in the batch."""
    targets: Any | None
    """Flags of tokens that are targets."""
    positions: Any | None
    segments: Any | None
    bounds: Any | None
    block: Any | None
    width: int
    """Width in the batch; the tables are wider by one where the last target is only a label."""


def aligned(group: LabelGroup, leaves: Mapping[str, Any], samples: int) -> Aligned | None:
    """Return the tables of a group in one batch, or None where it lacks them."""
    ids = table_of(leaves.get(group.tokens), samples)
    if ids is None:
        return None
    tables = {
        name: None if path is None else table_of(leaves.get(path), samples)
        for name, path in (
            ("labels", group.labels),
            ("loss", group.loss_mask),
            ("positions", group.positions),
        )
    }
    same_form = {
        name: one if one is not None and one.shape == ids.shape else None for name, one in tables.items()
    }
    labels = same_form["labels"]
    valid = _valid(group, ids, labels, same_form["loss"])
    if group.decoder:
        ids = _decoder_ids(ids, group.ignored)
    mask, numbers, block = _mask(group, leaves, ids, samples)
    segments, bounds = _boundaries(group, leaves, ids, samples)
    targets = None if valid is None else valid.clone()
    if targets is not None and group.label_kind in ("same", "unclear") and not group.decoder:
        targets[:, 0] = False  # nothing comes before it that could predict it
    found = Aligned(
        ids, ids != FILL, mask, numbers, labels, valid, targets, same_form["positions"], segments, bounds, block,
        int(ids.shape[1]),
    )  # fmt: skip
    return _moved(found) if group.label_kind == "shifted" and labels is not None else found


def _valid(group: LabelGroup, ids: Any, labels: Any, loss: Any) -> Any:
    """Return flags of labels that count, or None where the batch has none."""
    valid = None
    if labels is not None:
        valid = labels >= 0 if group.ignored is None else (labels >= 0) & (labels != group.ignored)
    if loss is not None:
        counted = (loss != 0) & (loss != FILL)
        valid = counted if valid is None else valid & counted
    return None if valid is None else valid & (ids != FILL)


def _decoder_ids(labels: Any, ignored: int | None) -> Any:
    """The labels are the tokens; what is ignored is no token."""
    ids = labels.clone()
    ids[(labels < 0) | (labels == (FILL if ignored is None else ignored))] = FILL
    return ids


def _mask(group: LabelGroup, leaves: Mapping[str, Any], ids: Any, samples: int) -> tuple[Any, Any, Any]:
    if group.mask is None or group.decoder:
        return None, None, None
    leaf = leaves.get(group.mask)
    if group.mask_kind == "block":
        return None, None, allowed_of(leaf, ids.shape[0]) if has(leaf, "ndim") else None
    mask = table_of(leaf, samples)
    if mask is None or mask.shape != ids.shape:
        return None, None, None
    mask = mask.masked_fill(mask == FILL, 0)
    if group.mask_kind == "documents":
        return mask > 0, mask, None
    return (mask == 0) & (ids != FILL) if group.mask_kind == "inverted" else mask != 0, None, None


def _boundaries(group: LabelGroup, leaves: Mapping[str, Any], ids: Any, samples: int) -> tuple[Any, Any]:
    if group.boundaries is None or (group.boundaries == group.mask and group.mask_kind == "documents"):
        return None, None
    table = table_of(leaves.get(group.boundaries), samples)
    if table is None:
        return None, None
    return (
        (table, None)
        if table.shape == ids.shape and group.mask_kind != "bounds" and _flat(table)
        else (None, table)
    )


def _flat(table: Any) -> bool:
    """Whether a table numbers documents, and does not bound them."""
    return table.shape[1] > 2 and not bool((table[:, 1:] > table[:, :-1]).all())


def _moved(found: Aligned) -> Aligned:
    """Bring labels that stand one position early to the tokens that they name."""
    import torch

    assert found.labels is not None
    assert found.valid is not None
    rows = found.ids.shape[0]
    end = torch.full((rows, 1), FILL, dtype=torch.long)
    ids = torch.cat([found.ids, end], dim=1)
    ids[:, 1:] = torch.where(found.valid, found.labels, ids[:, 1:])
    off = torch.zeros(rows, 1, dtype=torch.bool)

    def longer(flags: Any) -> Any:
        return None if flags is None else torch.cat([flags, flags[:, -1:]], dim=1)

    return Aligned(
        ids,
        ids != FILL,
        None if found.mask is None else _moved_mask(found.mask, found.valid),
        longer(found.numbers),
        found.labels,
        found.valid,
        torch.cat([off, found.valid], dim=1),
        longer(found.positions) if found.positions is None else _counted_on(longer(found.positions)),
        longer(found.segments),
        found.bounds,
        None if found.block is None else _grown(found.block),
        found.width,
    )


def _moved_mask(mask: Any, valid: Any) -> Any:
    """The token that a label names is real if it stands in the row, or if the one before it does."""
    import torch

    wide = torch.cat([mask, torch.zeros_like(mask[:, :1])], dim=1)
    wide[:, 1:] |= mask & valid
    return wide


def _counted_on(positions: Any) -> Any:
    positions[:, -1] += 1
    return positions


def _grown(block: Any) -> Any:
    import torch

    wide = torch.cat([block, block[:, :, -1:]], dim=2)
    return torch.cat([wide, wide[:, -1:, :]], dim=1)
