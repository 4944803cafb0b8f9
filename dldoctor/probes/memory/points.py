"""The series of a process: full looks at private memory, and cheap ones with what lies between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from dldoctor.evidence.memory import MemoryPoint

KEPT = 60
"""Points of one process that stay in the evidence."""

Line = dict[str, Any]
"""What a process wrote at one batch boundary."""
T = TypeVar("T")


def points_of(lives: list[list[Line]], started_ns: int) -> list[MemoryPoint]:
    """Return the points of a process, those between two full looks with what lies between.

    What is private and not among the pages that cheap looks count changes slowly, with what is copied.
    """
    found: list[MemoryPoint] = []
    beside: list[tuple[float, float, float]] = []
    for life, lines in enumerate(lives):
        looks = [line for line in lines if line["kind"] == "full"]
        # A life that was too short for a look of its own began as the one before it did.
        beside = [_beside(line) for line in looks] or beside[:1]
        if beside:
            shown = [line for line in lines if line["kind"] != "trimmed"]
            found += _of_life(life, shown, beside, started_ns)
    return found


def with_full(points: list[MemoryPoint]) -> list[MemoryPoint]:
    """Return some of the points, full looks first."""
    full = thinned([point for point in points if point.full], KEPT // 2)
    others = thinned([point for point in points if not point.full], KEPT - len(full))
    return sorted([*full, *others], key=lambda point: point.at_s)


def _beside(line: Line) -> tuple[float, float, float]:
    """Return the time of a full look, and what of private memory, and of its sum with the shared part, is beside growth."""
    grown, private, part = line["values"][0], line["values"][4], line["values"][5]
    return float(line["at_ns"]), private - grown, part - grown


def _of_life(
    life: int, lines: list[Line], beside: list[tuple[float, float, float]], started_ns: int
) -> Iterator[MemoryPoint]:
    children = [0, 0]
    for line in lines:
        grown, opened, threads, resident = line["values"][:4]
        private, part = _between(float(line["at_ns"]), beside)
        children = line.get("children", children)
        uss = min(resident, max(0, round(grown + private)))
        yield MemoryPoint(
            batch=line["batch"], epoch=line["epoch"], samples=line["samples"],
            at_s=round((line["at_ns"] - started_ns) / 1e9, 3),
            uss_bytes=uss, rss_bytes=resident, pss_bytes=max(0, round(grown + part)),
            shared_bytes=resident - uss, descriptors=opened, threads=threads, life=life,
            children=children[0], children_bytes=children[1], full=line["kind"] == "full",
        )  # fmt: skip


def _between(at: float, looks: list[tuple[float, float, float]]) -> tuple[float, float]:
    """Return both values at a time, in a straight line from the look before to the look after."""
    before = [look for look in looks if look[0] <= at]
    after = [look for look in looks if look[0] >= at]
    (t0, a0, b0), (t1, a1, b1) = (before or after)[-1 if before else 0], (after or before)[0 if after else -1]
    share = (at - t0) / (t1 - t0) if t1 > t0 else 0.0
    return a0 + share * (a1 - a0), b0 + share * (b1 - b0)


def thinned(points: Sequence[T], keep: int) -> list[T]:
    """Return at most `keep` points, the first and the last among them."""
    if len(points) <= keep or keep < 2:
        return list(points)
    return [points[round(i * (len(points) - 1) / (keep - 1))] for i in range(keep)]
