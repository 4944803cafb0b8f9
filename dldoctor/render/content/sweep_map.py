"""The surface of a sweep as a heat map, with what pointing at a cell shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.sweep import SweepEvidence, SweepPoint
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import rate, share, size

SIMULATED = ("simulated", "trace")


@dataclass(frozen=True)
class Cell:
    """One point of the heat map."""

    workers: int
    prefetch: int | None
    rate: float | None
    """Measured where it was, else predicted."""
    text: str
    level: float
    """0 to 1: the rate over the best of the surface."""
    mark: str
    """`current`, `recommended`, `refused` or nothing."""
    measured: bool
    lines: tuple[str, ...]
    """What hovering shows."""


@dataclass(frozen=True)
class HeatMap:
    """Workers across, prefetch down; without workers there is no prefetch, so that cell fills its column."""

    workers: tuple[int, ...]
    prefetches: tuple[int, ...]
    cells: dict[tuple[int, int], Cell]


def heat_map(sweep: SweepEvidence) -> HeatMap:
    """Return the surface."""
    best = max((_best(point) or 0.0 for point in sweep.points if not point.refused), default=0.0)
    workers = tuple(sorted({p.num_workers for p in sweep.points}))
    prefetches = tuple(sorted({p.prefetch_factor for p in sweep.points if p.prefetch_factor is not None}))
    cells = {}
    for point in sweep.points:
        rows = prefetches or (0,)
        for prefetch in [point.prefetch_factor] if point.prefetch_factor is not None else rows:
            cells[point.num_workers, prefetch] = _cell(sweep, point, best)
    return HeatMap(workers, prefetches or (0,), cells)


def _best(point: SweepPoint) -> float | None:
    return point.measured if point.measured is not None else point.predicted


def _cell(sweep: SweepEvidence, point: SweepPoint, best: float) -> Cell:
    value = _best(point)
    return Cell(
        workers=point.num_workers,
        prefetch=point.prefetch_factor,
        rate=value,
        text="x" if point.refused else rate(value),
        level=min(1.0, (value or 0.0) / best) if best else 0.0,
        mark=_mark(sweep, point),
        measured=point.measured is not None,
        lines=tuple(_lines(sweep, point)),
    )


def _mark(sweep: SweepEvidence, point: SweepPoint) -> str:
    if point.refused:
        return "refused"
    for mark, values in (("recommended", sweep.recommended), ("current", sweep.current)):
        here = values is not None and values["num_workers"] == point.num_workers
        if here and values is not None:
            ahead = values.get("prefetch_factor")
            if not point.num_workers or ahead == point.prefetch_factor:
                return mark
    return ""


_BOUND = {
    "workers": "more workers", "cores": "more cores, or less work", "hand-over": "less to hand over",
    "order": "batches of even length, or in_order=False", "consumer": "a faster consumer",
}  # fmt: skip


def _lines(sweep: SweepEvidence, point: SweepPoint) -> Iterator[str]:
    ahead = f", prefetch_factor={point.prefetch_factor}" if point.prefetch_factor is not None else ""
    yield f"num_workers={point.num_workers}{ahead}"
    if point.predicted is not None:
        yield f"predicted {rate(point.predicted)} batches/s ({rate(point.low)} .. {rate(point.high)})"
    if point.measured is not None:
        yield f"measured {rate(point.measured)} batches/s ({rate(point.measured_low)} .. {rate(point.measured_high)})"
    if point.wait_share is not None:
        label = "the simulated consumer" if sweep.consumer.kind in SIMULATED else "the consumer"
        yield f"{label} waits {share(point.wait_share)} of the time"
    if point.gpu_utilization is not None:
        yield f"GPU utilisation {share(point.gpu_utilization)}"
    if point.bottleneck:
        yield f"faster with: {_BOUND.get(point.bottleneck, point.bottleneck)}"
    if point.memory_bytes is not None:
        yield (
            f"memory {size(point.memory_bytes)}, shared memory {size(point.shm_bytes or 0)}, "
            f"descriptors {point.descriptors or 0}"
        )
    if point.refused:
        yield f"this machine cannot hold it: {clean(point.refused, 200)}"
