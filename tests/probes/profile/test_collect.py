"""What is opened again and again, and what slow items took, from records made by hand."""

from __future__ import annotations

from types import SimpleNamespace as Record
from typing import Any

from dldoctor.evidence.profile import OrderEvidence
from dldoctor.probes.profile.collect import storage, worked_by_slow
from dldoctor.probes.profile.entry_points import Opened

FILES = [f"part{number}.npz" for number in range(4)]


def group(number: int, own_ns: int = 0, runqueue_ns: int = 0) -> Any:
    spent = [Record(own_ns=own_ns, runqueue_ns=runqueue_ns)]
    return Record(ids=[number], files=1, failed=False, pilot=False, spent=spent)


def batches(count: int, items: int, files: list[str]) -> list[Any]:
    """Batches of four samples, each of which opens the next file."""
    made = []
    for place in range(count):
        opened = [Opened(files[(place * 4 + step) % len(files)], 1, 1000) for step in range(4)]
        groups = [group((place * 4 + step) % items) for step in range(4)]
        record = Record(worker=0, read_bytes=(0, 0), opened=opened, groups=groups)
        made.append(Record(record=record, samples=4))
    return made


def test_files_that_are_opened_in_turn_are_summed() -> None:
    """None of the four is opened for every sample, all together are."""
    first = storage(batches(11, 40, FILES), sample_mean_ns=2000).reopened[0]
    assert (first.files, first.opens_per_sample, first.sample_ns, first.share) == (4, 1.0, 1000, 0.5)


def test_a_file_for_each_sample_is_meant() -> None:
    """In each epoch it is opened again."""
    assert [one.files for one in storage(batches(11, 4, FILES), sample_mean_ns=2000).reopened] == [1] * 4


def test_one_file_for_all_samples_stays_one() -> None:
    """Its name is told."""
    (only,) = storage(batches(11, 40, FILES[:1]), sample_mean_ns=2000).reopened
    assert (only.path, only.files, only.opens_per_sample) == ("part0.npz", 1, 1.0)


def test_what_slow_items_took_leaves_out_waiting_for_a_core() -> None:
    """They are read again without it: a busy machine must not make them look slow by chance."""
    groups = [group(3, 700, 620), group(5, 90, 10), group(3, 60)]
    made: Any = [Record(record=Record(groups=groups))]
    order = OrderEvidence(
        median_ns=1,
        slow_count=2,
        slow_ns=160,
        samples=3,
        slow=(5, 3, "0:1"),
        rate=1,
        rate_any_order=1,
        rate_without_slow=1,
    )
    assert worked_by_slow(made, order) == [(5, 80), (3, 80)]
