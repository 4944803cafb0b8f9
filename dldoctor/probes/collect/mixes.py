"""Batches whose samples differ in one respect, and how the collate took them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dldoctor.evidence.batches import MixedBatches
from dldoctor.probes.glance import Glance

What = Literal["none", "structure", "shape", "dtype", "mode"]
_MIXES_KEPT = 200


def mixes_of(seen: list[Glance]) -> Iterator[tuple[What, str]]:
    """Yield in what the samples of one batch differ: ``(what, path)``."""
    none = [one for one in seen if is_none(one)]
    rest = [one for one in seen if not is_none(one)]
    if none and rest:
        yield "none", ""
    elif none:
        yield "none", ""
        return
    layouts = {one.layout for one in rest}
    paths = {frozenset(part[0] for part in layout) for layout in layouts}
    if len(paths) > 1:
        yield "structure", ""
    if len(layouts) > 1:
        yield from _type_mixes(layouts)
    yield from _shape_mixes(rest)


def is_none(seen: Glance) -> bool:
    """Whether the whole sample is None."""
    return len(seen.layout) == 1 and seen.layout[0][:2] == ("value", "None")


def _type_mixes(
    layouts: set[tuple[tuple[str, str, str | None, str | None], ...]],
) -> Iterator[tuple[What, str]]:
    by_path: dict[str, set[tuple[str, str | None, str | None]]] = {}
    for layout in layouts:
        for path, container, dtype, mode in layout:
            by_path.setdefault(path, set()).add((container, dtype, mode))
    for path, kinds in by_path.items():
        containers = {container for container, _, _ in kinds} - {"None"}
        if any(container == "None" for container, _, _ in kinds):
            yield "none", path
        if len(containers) > 1 and not containers <= {"int", "float", "bool", "scalar"}:
            yield "structure", path
        dtypes = {dtype or container for container, dtype, _ in kinds if container != "None"}
        if len(dtypes) > 1 and all(_numeric(container) for container, _, _ in kinds if container != "None"):
            yield "dtype", path
        if len({mode for _, _, mode in kinds if mode is not None}) > 1:
            yield "mode", path


def _numeric(container: str) -> bool:
    return container in ("int", "float", "bool", "scalar", "ndarray") or "Tensor" in container


def _shape_mixes(rest: list[Glance]) -> Iterator[tuple[What, str]]:
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for one in rest:
        for (path, container, _, _), shape in zip(one.layout, one.shapes, strict=True):
            if shape is not None and container not in ("str", "bytes", "None"):
                shapes.setdefault(path, set()).add(shape)
    for path, found in shapes.items():
        if len(found) > 1:
            yield "shape", path


def _all_alike(seen: list[Glance]) -> bool:
    """Whether nothing differs; most batches are so, and equal layouts are one object there."""
    first = seen[0]
    return all(
        (one.layout is first.layout or one.layout == first.layout) and one.shapes == first.shapes
        for one in seen
    )


class MixCollector:
    """Counts mixed batches by what is mixed and how the collate took them."""

    def __init__(self) -> None:
        """Start with none."""
        self._counts: dict[tuple[What, str], list[int]] = {}

    def add(self, seen: list[Glance], *, failed: bool) -> None:
        """Count one batch."""
        if not seen or (_all_alike(seen) and not is_none(seen[0])):
            return
        for mix in set(mixes_of(seen)):
            if mix in self._counts or len(self._counts) < _MIXES_KEPT:
                self._counts.setdefault(mix, [0, 0])[failed] += 1

    def evidence(self) -> tuple[MixedBatches, ...]:
        """Return all mixes, in order of their path."""
        return tuple(
            MixedBatches(what=what, path=path, collated=counts[0], failed=counts[1])
            for (what, path), counts in sorted(
                self._counts.items(), key=lambda item: (item[0][1], item[0][0])
            )
        )
