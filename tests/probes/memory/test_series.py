"""From lines to points, and when a look is taken."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.memory import FinePoint, Growth, ProcessMemory
from dldoctor.probes.memory.consumer import NOTHING, _per_batch
from dldoctor.probes.memory.descriptor_growth import per_epoch, slope_of_short_lives
from dldoctor.probes.memory.process_watch import Budget
from dldoctor.probes.memory.series import Turns, process_of

MB = 2**20


def _line(batch: int, grown: float, full: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return a line at a batch; `full` is private memory and its sum with the shared part, in MB."""
    values = [grown, 20, 3, grown + 100, *(full or ())]
    return {
        "kind": "full" if full else "cheap", "epoch": batch // 10, "batch": batch, "samples": 8 * batch,
        "in_epoch": batch % 10 + 1, "at_ns": batch * 10**9,
        "values": [round(v * MB) if i not in (1, 2) else v for i, v in enumerate(values)],
        "own_ns": 1, "cpu_ns": 100, **({"open": [], "grown": {}, "children": [1, 5 * MB]} if full else {}),
    }  # fmt: skip


def _process(lines: list[dict[str, Any]], **more: Any) -> ProcessMemory:
    turns = Turns(by_epoch=True, per_worker=lambda _: 10)
    return process_of(0, [lines], turns, 0, **{"resets": False, "copies": True, **more})


def test_private_memory_between_two_full_looks_follows_what_was_mapped() -> None:
    """20 MB were copied on write over the run, in a straight line; 6 MB came on top at batch 20."""
    lines = [_line(batch, 200.0 + (6.0 if batch >= 20 else 0.0)) for batch in range(41)]
    lines[0], lines[40] = _line(0, 200.0, (30.0, 90.0)), _line(40, 206.0, (56.0, 106.0))
    found = _process(lines)
    by_batch = {point.batch: point for point in found.series}
    assert [by_batch[batch].uss_bytes // MB for batch in (0, 10, 20, 40)] == [30, 35, 46, 56]
    assert [point.batch for point in found.series if point.full] == [0, 40]
    assert by_batch[40].children == 1
    assert found.growth.copied_bytes == 20 * MB


def test_batches_under_way_fill_up_and_are_no_growth() -> None:
    """The first three of each epoch are left out, where two are under way."""
    lines = [_line(batch, 200.0 + 30.0 * min(batch % 10, 3)) for batch in range(40)]
    lines[0] = _line(0, 200.0, (30.0, 90.0))
    assert (
        _process(lines, ahead=3).growth.per_1000_samples
        == _process(lines[:1] + lines[3:], ahead=3).growth.per_1000_samples
    )
    assert _process(lines, ahead=3).growth.verdict == "plateau"


def test_a_look_is_taken_where_its_cost_fits_the_share() -> None:
    """What the last one cost is what the next one is taken to cost."""
    budget = Budget(0.01, expected_ns=10)
    assert not budget.allows(999)
    assert budget.allows(1000)
    with budget.taking():
        sum(range(1000))
    assert budget.taken_ns == budget.last_ns > 0
    assert not budget.allows(round(100 * budget.taken_ns))
    assert budget.allows(round(201 * budget.taken_ns))


def _kept(descriptors: list[int]) -> ProcessMemory:
    fine = tuple(FinePoint(i, 0, 0, 0, 8 * i, 100 * MB, one, 3) for i, one in enumerate(descriptors))
    return ProcessMemory("main", None, (), Growth("plateau"), fine)


def test_a_buffer_of_the_last_batches_is_no_growth_once_it_is_full() -> None:
    """Fifty of a hundred batches, against all of them."""
    buffer = _kept([20 + min(i, 50) for i in range(104)])
    assert _per_batch(buffer, "descriptors") == NOTHING
    assert _per_batch(_kept([20 + i for i in range(104)]), "descriptors").value == 1.0


def _opened(counts: list[int], each: int) -> list[FinePoint]:
    """Return a point a batch, `each` of them in one epoch."""
    return [FinePoint(i, i // each, 0, 0, 8 * i, 0, one, 3) for i, one in enumerate(counts)]


def test_descriptors_of_epochs_are_told_from_those_of_samples() -> None:
    """Four pipes with each epoch of three batches; then one file a batch; then both."""
    assert per_epoch(_opened([20 + 4 * (i // 3) for i in range(12)], 3)) == 4
    assert per_epoch(_opened([20 + i for i in range(12)], 3)) == 0
    assert per_epoch(_opened([20 + i + 4 * (i // 3) for i in range(12)], 3)) == 4
    assert per_epoch(_opened([20 + i for i in range(12)], 1)) is None


def test_workers_that_live_for_two_batches_show_a_slope_together() -> None:
    """One file for each of eight samples a batch; the shared memory under way is left out."""
    points = []
    for life in range(6):
        for batch in range(2):
            point = FinePoint(batch, life, batch, life, 16 * life + 8 * batch, 0, 99, 3)
            held = [["file", "/d/*.jpg", 8 + 8 * batch], ["shared-memory", "/dev/shm/*", 9 - 5 * batch]]
            points.append((point, {"open": held}))
    found = slope_of_short_lives(points)
    assert found is not None
    assert (found.value, found.low) == (1000.0, 1000.0)
