"""Fields that state how many images or patches there are, against what there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from dldoctor.evidence.placeholders import CountField, CountMismatch
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.placeholders.media import MediaField, flags_of, paths_of
from dldoctor.probes.labels.tables import table_of

KEPT = 20


class Count(NamedTuple):
    """One field of one batch."""

    path: str
    against: str
    kind: Literal["counts", "grid", "sizes", "flags"]
    stated: int
    held: tuple[int, ...]
    """What it may be equal to: images, those without dummies, tiles."""
    by_row: tuple[int, ...] = ()
    """The number that it states for each row."""

    @property
    def equal(self) -> bool:
        """Whether it states what there is."""
        return self.stated in self.held


def counts_of(
    leaves: Mapping[str, Any], roles: Mapping[str, Inferred], media: Sequence[MediaField], rows: int
) -> list[Count]:
    """Return every statement of a batch about its media."""
    found = []
    for field in media:
        if field.grid and field.patches:
            patches = sum(item.grid[0] * item.grid[1] * item.grid[2] for item in field.items)
            found.append(Count(field.grid, field.path, "grid", patches, (field.held,)))
        if field.media == "image" and (field.items or field.held == 0):
            found += _of_images(leaves, roles, field, rows)
    return found


def _of_images(
    leaves: Mapping[str, Any], roles: Mapping[str, Inferred], field: MediaField, rows: int
) -> list[Count]:
    real = [item for item in field.items if not item.dummy]
    tiles = sum(item.tiles for item in field.items)
    held = tuple(dict.fromkeys((len(field.items), len(real), tiles, sum(item.tiles for item in real))))
    found = []
    for path in paths_of(leaves, roles, "image_counts"):
        table = table_of(leaves[path])
        # A single number of many rows counts something else: the images of an album, of the whole data.
        if table is not None and table.numel() == rows and (rows > 1 or table.numel() == 1):
            values = tuple(int(one) for one in table.reshape(-1))
            found.append(Count(path, field.path, "counts", sum(values), held, values))
    if not field.grid:
        for path in paths_of(leaves, roles, "image_sizes"):
            table = table_of(leaves[path])
            if (
                table is not None
                and table.shape[-1] == 2
                and not any(one.row is not None for one in field.items)
            ):
                found.append(Count(path, field.path, "sizes", int(table.shape[0]), held[:2]))
        found += [
            Count(path, field.path, "flags", int(table_of(leaves[path]).numel()), held[:1])
            for path in flags_of(leaves)
        ]
    return found


Seen = tuple[int, tuple[SampleId, ...], Count]
"""Batch, its samples, and what one of its fields states."""


def summed_up(
    seen: Sequence[Seen],
    declared: Sequence[str],
    fits: Mapping[int, bool],
    items: Mapping[tuple[int, str], Mapping[int, int]],
) -> tuple[CountField, ...]:
    """Return one entry a field.

    `fits`: batch to whether its placeholders fit its media. `items`: batch and path of media to the items
    that each row has placeholders for.
    """
    fields: dict[tuple[str, str, str], list[Seen]] = {}
    for one in seen:
        count = one[2]
        fields.setdefault((count.path, count.against, count.kind), []).append(one)
    found = []
    for (path, against, _), entries in fields.items():
        equal = sum(count.equal for _, _, count in entries)
        wrong = [miss for one in entries if (miss := _mismatch(one, fits, items)) is not None]
        kind = entries[0][2].kind
        usual = 2 * equal >= len(entries) or (equal > 0 and any(fits.get(one.batch) for one in wrong))
        sure = kind == "grid" or path in declared or usual
        found.append(CountField(path, against, kind, len(entries), equal, sure, tuple(wrong[:KEPT])))
    return tuple(found)


def _mismatch(
    seen: Seen, fits: Mapping[int, bool], items: Mapping[tuple[int, str], Mapping[int, int]]
) -> CountMismatch | None:
    batch, samples, count = seen
    if not count.equal:
        return CountMismatch(batch, count.stated, count.held[0], samples=samples)
    # The total is right; with placeholders that fit, each row must be too.
    if not count.by_row or count.stated != count.held[0] or not fits.get(batch):
        return None
    by_row = items.get((batch, count.against), {})
    for row, stated in enumerate(count.by_row):
        held = by_row.get(row, 0)
        if stated != held:
            sample = samples[row : row + 1] if len(samples) == len(count.by_row) else ()
            return CountMismatch(batch, stated, held, row, sample)
    return None
