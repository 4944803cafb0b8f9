"""A batch as rows: what of each field belongs to which row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from dldoctor.intent import Inferred
from dldoctor.probes.alignment.pictures import paths_of
from dldoctor.probes.alignment.rows.patches import pictures_of_patches
from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor

LEADING = ("token_ids", "labels", "pixel_values", "audio", "video", "text", "class_label", "sample_id")
"""Roles whose fields have one entry a row in nearly every batch."""


@dataclass
class RawRow:
    """The values of one row by field, as the batch has them."""

    held: dict[str, Any] = field(default_factory=dict)


def length_of(leaf: Any) -> int | None:
    """Return how many entries a leaf has; None where it is a single value."""
    if isinstance(leaf, (list, tuple)):
        return len(leaf)
    return int(leaf.shape[0]) if is_array(leaf) and len(leaf.shape) else None


def rows_in(held: Mapping[str, Any], roles: Mapping[str, Inferred], given: int | None) -> int:
    """Return how many rows a batch has; the number of samples given where any field has so many."""
    lengths = {path: length_of(leaf) for path, leaf in held.items()}
    if given and given in lengths.values():
        return given
    for role in LEADING:
        for path in paths_of(role, roles, held):
            if lengths[path]:
                return lengths[path] or 0
    return max((one for one in lengths.values() if one), default=0)


def split(
    held: Mapping[str, Any],
    roles: Mapping[str, Inferred],
    rows: int,
    placeholders: AbstractSet[int] = frozenset(),
) -> list[RawRow]:
    """Return the rows; a field that has not one entry a row is cut by what says how, or left out."""
    found = [RawRow() for _ in range(rows)]
    for path, leaf in held.items():
        if length_of(leaf) == rows and not _is_patches(path, leaf, roles):
            for at in range(rows):
                found[at].held[path] = leaf[at]
    _by_box_row(held, roles, found)
    _by_counts(held, roles, found, placeholders)
    return found


def _is_patches(path: str, leaf: Any, roles: Mapping[str, Inferred]) -> bool:
    role = roles.get(path)
    return role is not None and role.role == "pixel_values" and is_array(leaf) and len(leaf.shape) == 2


def _by_box_row(held: Mapping[str, Any], roles: Mapping[str, Inferred], found: Sequence[RawRow]) -> None:
    """Give each row the entries of flat fields whose place stands in a field of row numbers."""
    owners = next((held[path] for path in paths_of("box_row", roles, held)), None)
    table = None if owners is None else as_tensor(owners)
    if table is None:
        return
    for path, leaf in held.items():
        flat = is_array(leaf) and length_of(leaf) == len(table) and leaf is not owners
        if flat and roles.get(path) is not None and roles[path].role in ("boxes", "class_label", "keypoints"):
            values = as_tensor(leaf)
            for at, row in enumerate(found if values is not None else ()):
                row.held[path] = values[table.reshape(-1) == at]


def _by_counts(
    held: Mapping[str, Any],
    roles: Mapping[str, Inferred],
    found: Sequence[RawRow],
    placeholders: AbstractSet[int],
) -> None:
    """Give each row its pictures out of a flat field of pictures or patches.

    A field of counts tells them apart, or else runs of placeholders, or there is one a row.
    """
    stated = next((held[path] for path in paths_of("image_counts", roles, held)), None)
    table = None if stated is None else as_tensor(stated)
    counts = [int(one) for one in table.reshape(-1).tolist()] if table is not None else None
    runs = [_runs(row, roles, placeholders) for row in found]
    for path in paths_of("pixel_values", roles, held):
        if not found or path in found[0].held:
            continue
        pictures = pictures_of_patches(held[path], held, roles)
        if pictures is None:
            pictures = held[path] if is_array(held[path]) and len(held[path].shape) >= 3 else None
        if pictures is None:
            continue
        ways = [counts] if counts is not None and len(counts) == len(found) else [runs, [1] * len(found)]
        cuts = next((one for one in ways if sum(one) == len(pictures)), None)
        if cuts is None:
            continue
        start = 0
        for row, count in zip(found, cuts, strict=True):
            if count:
                row.held[path] = [pictures[at] for at in range(start, start + count)]
            start += count


def _runs(row: RawRow, roles: Mapping[str, Inferred], placeholders: AbstractSet[int]) -> int:
    """Return how many runs of placeholders the ids of a row have."""
    for path in paths_of("token_ids", roles, row.held):
        table = as_tensor(row.held[path])
        if table is not None and table.ndim == 1:
            marked = [int(one) in placeholders for one in table.tolist()]
            return sum(one and not before for before, one in zip([False, *marked], marked, strict=False))
    return 0
