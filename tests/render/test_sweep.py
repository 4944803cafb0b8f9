"""What a sweep shows, in both views."""

from __future__ import annotations

from dldoctor.evidence.sweep import SweepEvidence, SweepGain, SweepPoint, SweepRates
from dldoctor.render.content import sweep as content
from dldoctor.render.content.sweep_map import heat_map

SWEEP = SweepEvidence(
    rates=SweepRates(loader=16.04, loader_low=15.5, loader_high=16.5, cores=210.0),
    points=(
        SweepPoint(0, None, 16.2, 15.0, 17.4, measured=16.04, measured_low=15.5, measured_high=16.5, bottleneck="workers"),
        SweepPoint(4, 1, 55.0, 50.0, 60.0, bottleneck="order"),
        SweepPoint(4, 2, 61.0, 55.0, 67.0, measured=60.0, measured_low=58.0, measured_high=62.0, bottleneck="workers",
                   memory_bytes=61_000_000, shm_bytes=16_000, descriptors=32),
        SweepPoint(8, 2, 110.0, 90.0, 130.0, bottleneck="workers", refused="needs 80 MB of shared memory, 64 MB is free"),
    ),
    recommended={"num_workers": 4, "prefetch_factor": 2},
    gain=SweepGain(2.75, 2.5, 3.0, 4, 2),
    verdict="change",
    current={"num_workers": 0},
    cores=2.0,
)  # fmt: skip


def test_the_four_numbers_leave_out_what_was_not_measured() -> None:
    rows = [(row.name, row.value) for row in content.rate_rows(SWEEP)]
    assert rows == [("the loader now", "16"), ("the consumer", "-"), ("these cores", "210")]


def test_without_a_consumer_the_slowest_step_is_told() -> None:
    line = content.consumer_line(SWEEP)
    assert line == "none was given: the loader is fast enough for any step slower than 62.3 ms"


def test_the_answer_is_one_line_to_paste_with_its_gain() -> None:
    assert content.line_to_paste(SWEEP) == "DataLoader(..., num_workers=4, prefetch_factor=2)"
    assert content.answer(SWEEP) == "+275% (+250% .. +300%) over the current setting, in paired runs"


def test_a_cell_tells_its_interval_its_limit_and_its_memory() -> None:
    found = heat_map(SWEEP)
    assert found.workers == (0, 4, 8)
    assert found.prefetches == (1, 2)
    assert found.cells[4, 2].lines == (
        "num_workers=4, prefetch_factor=2",
        "predicted 61 batches/s (55 .. 67)",
        "measured 60 batches/s (58 .. 62)",
        "faster with: more workers",
        "memory 61 MB, shared memory 16 kB, descriptors 32",
    )
    assert found.cells[4, 2].mark == "recommended"
    assert found.cells[0, 1].mark == found.cells[0, 2].mark == "current"


def test_what_does_not_fit_is_marked_and_sets_no_scale() -> None:
    found = heat_map(SWEEP)
    assert (found.cells[8, 2].text, found.cells[8, 2].mark) == ("x", "refused")
    assert found.cells[4, 2].level == 1.0
