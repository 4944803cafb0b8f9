"""DL801 to DL804 and DL807 to DL809 on hand-made evidence."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dldoctor.checks.batches_retained import BatchesRetained
from dldoctor.checks.budget_missed import BudgetMissed
from dldoctor.checks.copy_on_write_growth import CopyOnWriteGrowth
from dldoctor.checks.descriptor_leak import DescriptorLeak
from dldoctor.checks.memory_headroom import MemoryHeadroom
from dldoctor.checks.memory_leak import MemoryLeak
from dldoctor.checks.process_leak import ProcessLeak
from dldoctor.checks.stale_shared_memory import StaleSharedMemory
from dldoctor.evidence.memory import (
    ConsumerGrowth,
    DescriptorGrowth,
    EpochTasks,
    FinePoint,
    Growth,
    Segment,
    Slope,
)
from dldoctor.evidence.memory_cause import Allocation, GrowingContainer, Holding, MemoryCause, NativeTrace
from dldoctor.finding import SourceRef
from dldoctor.intent import Intent

_spec = importlib.util.spec_from_file_location(
    "memory_evidence", Path(__file__).parent / "memory_evidence.py"
)
assert _spec is not None
assert _spec.loader is not None
made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made)
MB, GB, judged, memory, process = made.MB, made.GB, made.judged, made.memory, made.process

SOCKETS = (DescriptorGrowth("socket", "socket", 10, 300),)
TORCH = (DescriptorGrowth("shared-memory", "/dev/shm/torch_*_*_*", 4, 100),)
RISING = Slope(1000.0, 990.0, 1010.0)


def test_a_leak_names_its_rate_its_container_and_its_end() -> None:
    """10 GB less 504 MB, at 20 kB a sample."""
    grown = GrowingContainer("dataset.seen", "list", 10, 300, 1.0, "worker")
    found = memory(
        process(None), process(0, "leak", 20 * MB), process(1, "leak", 20 * MB), containers=(grown,)
    )
    ((level, one),) = judged(MemoryLeak(), found)
    assert level == "error"
    assert one.message == (
        "each worker grows by 20 MB per 1,000 samples (95% interval 18 to 22) that it reads, with the same 256 samples "
        "read 3 times; `dataset.seen` grew from 10 to 300 entries; the 10 GB allowed are reached after about 474,800 samples"
    )
    assert one.facts["samples_until_limit"] == 474_800


def test_growth_that_ends_with_the_epoch_is_a_warning() -> None:
    """A saw-tooth."""
    ((level, one),) = judged(MemoryLeak(), memory(process(0, "saw-tooth", 20 * MB), persistent=False))
    assert level == "warning"
    assert "workers end with the epoch" in one.message
    assert "200 MB for all workers" in one.message


def test_growth_that_kept_descriptors_explain_is_theirs() -> None:
    """A socket object takes memory too."""
    leaking = process(0, "leak", 2 * MB, descriptors_per_1000_samples=RISING, descriptors_by=SOCKETS)
    assert judged(MemoryLeak(), memory(leaking)) == []
    assert [level for level, _ in judged(DescriptorLeak(), memory(leaking))] == ["error"]


def test_batches_that_a_worker_keeps_are_one_leak() -> None:
    """Their descriptors are not told a second time."""
    shared = (DescriptorGrowth("shared-memory", "/dev/shm/torch_*", 1, 300),)
    leaking = process(0, "leak", 200 * MB, descriptors_per_1000_samples=RISING, descriptors_by=shared)
    assert [level for level, _ in judged(MemoryLeak(), memory(leaking))] == ["error"]
    assert judged(DescriptorLeak(), memory(leaking)) == []


def test_what_a_library_keeps_is_named_where_memray_saw_it() -> None:
    """If it explains a good part of the growth."""
    cause = MemoryCause(samples=100, rise_bytes=20 * MB, python_bytes=0)
    for kept, expected in ((9 * MB, "data.py:7"), (MB, "a library keeps native memory")):
        line = Allocation(SourceRef("data.py", 7, "decode"), kept, 100)
        native = NativeTrace("trace.bin", samples=100, kept=(line,))
        found = memory(process(0, "leak", 200 * MB), cause=cause, native=native)
        ((_, one),) = judged(MemoryLeak(), found)
        assert expected in one.message


def test_a_small_rise_that_nothing_of_the_users_keeps_may_be_the_allocators() -> None:
    """With a container behind it, it is a leak however small."""
    small = process(None, "leak", MB)
    ((status, reason),) = judged(MemoryLeak(), memory(small))
    assert status == "insufficient-evidence"
    assert reason.startswith("1 MB were gained that nothing of yours keeps")
    grown = GrowingContainer("dataset.seen", "list", 10, 300, 1.0, "main")
    assert [level for level, _ in judged(MemoryLeak(), memory(small, containers=(grown,)))] == ["error"]


def test_a_run_without_a_batch_says_why() -> None:
    """What the user's code raised, and not that the series is short."""
    found = replace(memory(), processes=(), ended="no batch came, ValueError: odd")
    assert judged(MemoryLeak(), found) == [("insufficient-evidence", "no batch came, ValueError: odd")]


def test_a_series_that_is_too_short_is_not_judged() -> None:
    """It says how many batches it takes."""
    short = process(0, growth=Growth("not-enough-data", more_samples=160))
    assert judged(MemoryLeak(), memory(short)) == [
        ("insufficient-evidence", "the series is too short to tell: 20 more batches would do (`--batches`)")
    ]
    assert judged(MemoryLeak(), memory()) == []


HEAP = Holding("dataset.rows", "list", 200 * MB, 2_000_000, 200 * MB)


def _copied(bytes_: int) -> Any:
    return process(0, growth=Growth("copy-on-write", copied_bytes=bytes_))


def test_copies_are_bounded_by_what_the_dataset_holds() -> None:
    """200 MB for each worker."""
    ((level, one),) = judged(CopyOnWriteGrowth(), memory(_copied(30 * MB), holdings=(HEAP,)))
    assert level == "warning"
    assert one.message == (
        "each worker copied up to 30 MB of Python objects while it read: `dataset.rows` holds about 2,000,000 of them in "
        "200 MB; the growth ends at 200 MB x 2 workers = 400 MB at most"
    )


def test_arrays_are_not_copied() -> None:
    """What was copied then is the interpreter's own."""
    array = Holding("dataset.rows", "ndarray", 200 * MB, 1, 0)
    assert judged(CopyOnWriteGrowth(), memory(_copied(30 * MB), holdings=(array,))) == []
    small = replace(HEAP, bytes=20 * MB, python_bytes=20 * MB)
    assert [
        level for level, _ in judged(CopyOnWriteGrowth(), memory(_copied(9 * MB), holdings=(small,)))
    ] == ["info"]


def test_nothing_is_copied_where_nothing_is_forked() -> None:
    """Without workers, and under spawn."""
    for spec in (replace(made.SPEC, num_workers=0), replace(made.SPEC, start_method="spawn")):
        ((status, _),) = judged(CopyOnWriteGrowth(), memory(), spec=spec)
        assert status == "not-applicable"


def test_descriptors_name_the_sample_at_which_the_limit_is_hit() -> None:
    """1,024 less 10, one a sample."""
    leaking = process(0, descriptors_per_1000_samples=RISING, descriptors_by=SOCKETS)
    ((level, one),) = judged(DescriptorLeak(), memory(leaking))
    assert (level, one.facts["samples_until_limit"]) == ("error", 1014)
    assert one.message == (
        "sockets of worker 0 rose from 10 to 300, 1 for each sample; the limit of 1,024 is reached after about 1,014 samples"
    )


@pytest.mark.parametrize(("length", "level"), [(1_000, "warning"), (10_000, "error")])
def test_descriptors_of_workers_that_end_count_for_one_epoch(length: int, level: str) -> None:
    """An epoch that is long enough hits the limit all the same."""
    leaking = process(0, descriptors_per_1000_samples=RISING, descriptors_by=SOCKETS)
    spec = replace(made.SPEC, dataset_length=length)
    assert [one[0] for one in judged(DescriptorLeak(), memory(leaking, persistent=False), spec=spec)] == [
        level
    ]


def test_a_handle_for_each_shard_is_fine() -> None:
    """They stop growing, and are few for each sample."""
    shards = process(
        0,
        descriptors_first_per_1000_samples=20.0,
        descriptors_by=(DescriptorGrowth("file", "/d/*.h5", 5, 15),),
    )
    assert judged(DescriptorLeak(), memory(shards)) == []


def test_batches_in_shared_memory_belong_to_who_keeps_them() -> None:
    """Without a consumer it is the code around the loader."""
    main = process(None, descriptors_per_1000_samples=RISING, descriptors_by=TORCH)
    ((level, one),) = judged(BatchesRetained(), memory(main))
    assert (level, one.facts["holder"]) == ("warning", "loader")
    assert judged(DescriptorLeak(), memory(main)) == []


def _consumer(bytes_: float, descriptors: float) -> ConsumerGrowth:
    return ConsumerGrowth(
        100,
        Slope(bytes_, bytes_, bytes_),
        0.0,
        Slope(descriptors, descriptors, descriptors),
        0.0,
        "t.py:step",
    )


def test_a_consumer_that_keeps_batches_is_told_by_its_slope() -> None:
    """One descriptor a batch."""
    ((level, one),) = judged(BatchesRetained(), memory(consumer=_consumer(MB, 1.0)))
    assert level == "warning"
    assert one.message == (
        "with `t.py:step` the main process gains 1 descriptor and 1 MB for each batch, and without it nothing; the limit of "
        "1,024 is reached after about 1,024 batches"
    )
    assert judged(BatchesRetained(), memory(consumer=_consumer(0.0, 0.0))) == []
    assert [one[0] for one in judged(BatchesRetained(), memory(consumer=_consumer(0.05 * MB, 0.0)))] == [
        "info"
    ]
    assert [one[0] for one in judged(BatchesRetained(), memory())] == ["not-applicable"]


def _tasks(threads: list[int]) -> tuple[EpochTasks, ...]:
    return tuple(EpochTasks(i, count, 0, ("8 x pool-*",)) for i, count in enumerate(threads))


def test_only_counts_that_rise_after_every_epoch_are_told() -> None:
    """A pool that fills up once is fine."""
    ((level, one),) = judged(ProcessLeak(), memory(tasks=_tasks([3, 5, 7])))
    assert (level, one.facts["counts"]) == ("error", [3, 5, 7])
    assert one.message == "threads that live after an epoch rise with every epoch: 3, 5, 7 (8 x pool-*)"
    cut = tuple(replace(one, cut=True) for one in _tasks([3, 5, 7]))
    ((level, one),) = judged(ProcessLeak(), memory(tasks=cut))
    assert level == "info"
    assert "each epoch was left before its end here" in one.message
    assert judged(ProcessLeak(), memory(tasks=_tasks([3, 5, 5]))) == []
    assert [one[0] for one in judged(ProcessLeak(), memory(tasks=_tasks([3, 5])))] == [
        "insufficient-evidence"
    ]


def test_segments_of_this_run_weigh_more_than_older_ones() -> None:
    """Older ones are a note unless they are large."""
    ours, old = Segment("torch_7_1_0", MB, 7, ours=True), Segment("psm_x", MB, None, ours=False)
    found = judged(StaleSharedMemory(), memory(segments=(ours, old)))
    assert [level for level, _ in found] == ["warning", "info"]
    assert (
        found[0][1].message
        == "this run left 1 segment of shared memory behind (1 MB): torch_7_1_0 of process 7"
    )
    large = replace(old, bytes=500 * MB)
    assert [level for level, _ in judged(StaleSharedMemory(), memory(segments=(large,)))] == ["warning"]


def test_the_peak_of_all_ranks_is_held_against_the_memory_allowed() -> None:
    """500 MB and four batches in flight, on 16 ranks."""
    assert judged(MemoryHeadroom(), memory()) == []
    ((level, one),) = judged(MemoryHeadroom(), memory(), machine=replace(made.MACHINE, ranks=16))
    assert (level, one.facts["predicted_bytes"]) == ("warning", 16 * 504 * MB)


def test_a_cache_is_predicted_for_the_whole_dataset() -> None:
    """1 MB for each of 9,744 samples that were not read."""
    cache = GrowingContainer("dataset.cache", "dict", 0, 256, 1.0, "main", again=False)
    filling = process(None, growth=Growth("plateau", first_per_1000_samples=1000.0 * MB))
    ((level, one),) = judged(MemoryHeadroom(), memory(filling, containers=(cache,)))
    assert (level, one.advice) == ("warning", "Bound `dataset.cache`.")
    assert one.facts["predicted_bytes"] == 504 * MB + 9744 * MB


def test_copies_of_the_dataset_are_counted_under_the_start_method_in_force() -> None:
    """2 GB in an array: once under fork, three times under spawn."""
    array = Holding("dataset.rows", "ndarray", 2 * GB, 1, 0)
    assert judged(MemoryHeadroom(), memory(holdings=(array,))) == []
    spawned = replace(made.SPEC, start_method="spawn")
    ((level, one),) = judged(MemoryHeadroom(), memory(holdings=(array,)), spec=spawned)
    assert (level, one.facts["copies"], one.facts["held_bytes"]) == ("warning", 3, 6 * GB)


def test_the_budget_for_memory_is_judged() -> None:
    """504 MB of 10 GB."""
    for limit, expected in ((0.01, ["error"]), (0.1, [])):
        intent = Intent(budgets={"memory-fraction": limit})
        assert [level for level, _ in judged(BudgetMissed(), memory(), intent=intent)] == expected


PIPES = (DescriptorGrowth("pipe", "pipe", 11, 111),)


@pytest.mark.parametrize(("each", "level"), [(4.0, "warning"), (0.5, "info")])
def test_what_grows_with_epochs_is_told_by_epochs(each: float, level: str) -> None:
    """1,024 less 11, four with each; a limit beyond a thousand epochs is a note."""
    by = (DescriptorGrowth("pipe", "pipe", 11, 11 + round(40 * each)),)
    fine = tuple(FinePoint(i, i // 2, 0, 0, 8 * i, 0, 20, 3) for i in range(82))
    main = process(
        None, fine=fine, descriptors_per_1000_samples=Slope(60.0, 55.0, 65.0), descriptors_by=by,
        descriptors_per_epoch=each,
    )  # fmt: skip
    found = judged(DescriptorLeak(), memory(main, epochs=41))
    assert [one[0] for one in found] == [level]
    if each == 4.0:
        assert found[0][1].message == (
            "pipes of the main process rose from 11 to 171 over 41 epochs, 4 with each epoch and not with its samples; "
            "the limit of 1,024 is reached after about 253 epochs"
        )


def test_what_the_collector_closes_is_a_note() -> None:
    """Reference cycles held it."""
    main = process(None, descriptors_per_1000_samples=RISING, descriptors_by=PIPES, descriptors_collected=96)
    ((level, one),) = judged(DescriptorLeak(), memory(main))
    assert level == "info"
    assert "the garbage collector closed 96 when it was asked to" in one.message


def test_workers_of_too_few_batches_are_not_judged() -> None:
    """The main process alone says nothing about them."""
    short = process(0, descriptors_per_1000_samples=None)
    assert judged(DescriptorLeak(), memory(process(None), short)) == [
        ("insufficient-evidence", "each worker read too few batches")
    ]


def test_the_place_of_a_leak_is_the_line_that_fills_the_container() -> None:
    """What it holds may be allocated elsewhere; without such a line the dataset is shown."""
    made_at = Allocation(SourceRef("folder.py", 27, "load"), 20 * MB, 300)
    cause = MemoryCause(samples=100, rise_bytes=20 * MB, python_bytes=20 * MB, allocations=(made_at,))
    spec = replace(made.SPEC, dataset_ref=SourceRef("grow.py", 40, "Grow"))
    for put_at, line in ((SourceRef("grow.py", 43, "__getitem__"), 43), (None, 40)):
        grown = GrowingContainer("dataset.hist", "dict", 10, 300, 1.0, "main", put_at=put_at)
        found = memory(process(None, "leak", 20 * MB), containers=(grown,), cause=cause)
        ((_, one),) = judged(MemoryLeak(), found, spec=spec)
        assert (one.where.path, one.where.line) == ("grow.py", line)
        assert one.facts["allocated_at"] == "folder.py:27"
        assert ("put in at grow.py:43" in one.message) == (line == 43)
    ((_, one),) = judged(MemoryLeak(), memory(process(None, "leak", 20 * MB), cause=cause), spec=spec)
    assert one.where == made_at.where
