"""Counters and descriptors, from files made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dldoctor.probes.memory.containers import Roots, length_of, lengths
from dldoctor.probes.memory.control import CLOSING, RUNNING, TRIM
from dldoctor.probes.memory.counters import Full, fields_of, sum_up
from dldoctor.probes.memory.descriptors import classify
from dldoctor.probes.memory.holdings import holdings
from dldoctor.probes.memory.same_batches import Blanks, SameBatches
from dldoctor.probes.memory.segments import owner_of, stale

ROLLUP = b"""55db46bb5000-7ffcb29fe000 ---p 00000000 00:00 0                          [rollup]
Rss:              617308 kB
Pss:              560859 kB
Shared_Clean:      78072 kB
Shared_Dirty:        100 kB
Private_Clean:       388 kB
Private_Dirty:    538848 kB
Anonymous:        538848 kB
"""


def test_private_and_shared_memory_are_summed() -> None:
    """Clean and dirty pages alike."""
    assert sum_up(fields_of(ROLLUP)) == Full((388 + 538848) * 1024, 560859 * 1024)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("socket:[123]", ("socket", "socket")),
        ("pipe:[9]", ("pipe", "pipe")),
        ("anon_inode:[eventpoll]", ("other", "anon_inode")),
        ("/dev/shm/torch_41_99_0 (deleted)", ("shared-memory", "/dev/shm/torch_*_*_*")),
        ("/data/part12/photo_17.jpg", ("file", "/data/part*/*.jpg")),
        ("/dev/null", ("file", "/dev/null")),
    ],
)
def test_descriptors_are_grouped(target: str, expected: tuple[str, str]) -> None:
    """By kind, folder and extension."""
    assert classify(target) == expected


def test_a_segment_without_a_living_owner_is_stale(tmp_path: Path) -> None:
    """One of another file's name, or of a living process, is not."""
    for name in ("torch_999999999_5_0", "torch_1_5_0", "notes.txt"):
        (tmp_path / name).write_bytes(bytes(10))
    (tmp_path / "psm_ours").write_bytes(bytes(20))
    found = stale({"psm_ours"}, {999999999}, str(tmp_path))
    assert [(one.name, one.bytes, one.owner, one.ours) for one in found] == [
        ("psm_ours", 20, None, True),
        ("torch_999999999_5_0", 10, 999999999, True),
    ]
    assert owner_of("psm_ab12") is None


class _Data:
    def __init__(self) -> None:
        self.rows = [{"path": f"{i}.jpg"} for i in range(5000)]
        self.table = bytearray(200_000)
        self.seen: list[int] = []


def test_containers_are_found_by_path() -> None:
    """Long ones are counted, not entered."""
    found = lengths(Roots(_Data(), None))
    assert found["dataset.rows"] == ("list", 5000)
    assert found["dataset.seen"] == ("list", 0)
    assert not any(path.startswith("dataset.rows[") for path in found)
    assert length_of(3) is None


@pytest.fixture
def no_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the largest holdings are kept, and modules of other tests hold some of their own."""
    monkeypatch.setattr("dldoctor.probes.memory.holdings.user_globals", lambda: iter(()))


@pytest.mark.usefixtures("no_globals")
def test_what_a_dataset_keeps_is_weighed_by_attribute() -> None:
    """Python objects apart from plain bytes."""
    held = {one.path: one for one in holdings(_Data())}
    assert 10_000 < held["dataset.rows"].objects < 20_000
    assert held["dataset.rows"].python_bytes == held["dataset.rows"].bytes
    assert held["dataset.table"].bytes >= 200_000


class _Handle:
    """What h5py and zarr give: the size of an array, and its elements in a file."""

    dtype, shape, nbytes = "float32", (1000, 1000), 4_000_000


@pytest.mark.usefixtures("no_globals")
def test_a_file_handle_and_a_class_of_arrays_hold_nothing() -> None:
    """Neither is memory of this process."""
    data = _Data()
    vars(data).update(handle=_Handle(), kind=torch.Tensor, array=torch.zeros(100_000))
    held = {one.path: one.bytes for one in holdings(data)}
    assert "dataset.handle" not in held
    assert "dataset.kind" not in held
    assert held["dataset.array"] == 400_000


class _Silent:
    def __init__(self) -> None:
        self.told: list[tuple[int, int, int]] = []

    def tell(self, epoch: int, state: int, since: int = 0) -> None:
        self.told.append((epoch, state, since))


@pytest.mark.parametrize(("workers", "length"), [(2, 8), (2, 7), (3, 11)])
def test_each_worker_meets_its_own_batches_again(workers: int, length: int) -> None:
    """Whatever the length, batch n of the second turn goes to the worker that had it before."""
    same = SameBatches([[i] for i in range(length)], _Silent(), workers, turns=2, limit=None)
    given = list(same)
    owner = {batch[0]: position % workers for position, batch in enumerate(given[:length])}
    assert [owner[batch[0]] for batch in given[length:]] == [
        position % workers for position in range(length, len(given))
    ]
    again = list(same)
    assert [owner[batch[0]] for batch in again] == [position % workers for position in range(len(again))]


def test_a_turn_ends_in_whole_rounds() -> None:
    """A limit on batches holds for a turn."""
    control = _Silent()
    same = SameBatches([[i] for i in range(100)], control, 2, turns=1, limit=6)
    assert [len(list(same)), len(list(same))] == [6, 6]
    assert len(same) == 6
    assert same.cut
    assert control.told == [(0, RUNNING, 0), (0, CLOSING, 3), (0, CLOSING, 3)]


def test_a_stream_that_ends_by_itself_is_told_where() -> None:
    """It is asked for a few batches more than it has."""
    control = _Silent()
    same = SameBatches(Blanks(4), control, 2, turns=1, limit=None)
    asked = iter(same)
    for _ in range(14):
        next(asked)
    del asked
    same.delivered, same.epoch, same.last = 10, 1, True
    assert len(list(same)) == 14
    assert not same.cut
    assert control.told == [(0, RUNNING, 0), (1, TRIM, 5)]


@dataclass(slots=True)
class _Row:
    path: str
    size: int


@pytest.mark.usefixtures("no_globals")
def test_tables_and_slots_are_weighed() -> None:
    """A column of Python objects apart from columns of numbers."""
    pandas = pytest.importorskip("pandas")
    data = _Data()
    paths = pandas.Series([f"/data/{i:012d}.jpg" for i in range(50_000)], dtype=object)
    vars(data).update(
        frame=pandas.DataFrame({"size": range(50_000), "path": paths}),
        numbers=pandas.DataFrame({"size": range(50_000)}),
        slotted=[_Row(f"/data/{i}.jpg", 1000 + i) for i in range(5_000)],
    )
    held = {one.path: one for one in holdings(data)}
    exact = int(vars(data)["frame"].memory_usage(deep=True).sum())
    assert abs(held["dataset.frame"].bytes / exact - 1) < 0.02
    assert held["dataset.frame"].python_bytes > 50_000 * 60
    assert held["dataset.numbers"].python_bytes == 0
    assert 9_000 < held["dataset.slotted"].objects < 16_000


def test_stand_ins_of_ours_are_no_containers_of_the_user() -> None:
    """What they keep is not told as growing."""
    same = SameBatches([[1]], _Silent(), 0, turns=1, limit=None)
    found = lengths(Roots(None, None, SimpleNamespace(sampler=same, kept=[1, 2])))
    assert [path for path in found if path.startswith("loader")] == ["loader.kept"]


def test_indices_that_are_kept_share_no_memory_with_those_handed_on() -> None:
    """A tensor that goes to a worker stays in shared memory as long as somebody has it."""
    same = SameBatches([torch.arange(3), [torch.tensor(1), 2]], _Silent(), 0, turns=1, limit=None)
    first, again = list(same), list(same)
    places = [one.data_ptr() for one in (first[0], again[0], same.kept[0], first[1][0], again[1][0])]
    assert len(set(places)) == 5
    assert again[0].tolist() == [0, 1, 2]
    assert again[1][1:] == [2]
    assert same.rows == 5
    same.batched = False
    assert same.rows == 2
