"""Cumulative lengths that end elsewhere than the tokens beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.evidence.labels import LabelGroup
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.tables import table_of

FEWEST = 3
"""Numbers that rise from 0 before they are cumulative lengths: two may be anything."""


def bounds_apart(
    leaves: Mapping[str, Any], group: LabelGroup, roles: Mapping[str, str], tables: Aligned
) -> dict[str, int]:
    """Return the tokens of a batch and the end of its cumulative lengths, where the two differ."""
    total = (
        int(tables.present.sum())
        if tables.ids.shape[1] == tables.width
        else tables.ids.shape[0] * tables.width
    )
    if group.decoder or group.boundaries is not None:
        return {}
    for path, role in roles.items():
        table = table_of(leaves.get(path)) if role == "document_lengths" and path in leaves else None
        end = None if table is None else _end(table)
        if end is not None and end != total and not _only_padding_follows(tables, end):
            return {group.tokens: total, path: end}
    return {}


def _end(table: Any) -> int | None:
    """Return the last of numbers that rise from 0 in one row; None where they do not."""
    row = table.reshape(-1)
    if row.numel() < FEWEST or int(row[0]) or not bool((row[1:] > row[:-1]).all()):
        return None
    return int(row[-1])


def _only_padding_follows(tables: Aligned, end: int) -> bool:
    """Whether what lies behind the end is one id, and no target: a pack that is filled up."""
    beyond = tables.ids.reshape(-1)[end:]
    if end > tables.ids.numel() or not beyond.numel() or not bool((beyond == beyond[0]).all()):
        return False
    return tables.targets is None or not bool(tables.targets.reshape(-1)[end:].any())
