"""Items read again: alone, in a row, from the device, twice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from dldoctor.intent import TargetOptions
from dldoctor.page_cache import evict
from dldoctor.probes.profile.ratios import unpaired
from dldoctor.probes.profile.reads import alone, cold, items_of
from dldoctor.probes.profile.trials import cached
from dldoctor.targets import Pipeline, from_object


class Files(Dataset[bytes]):
    """A file an item."""

    def __init__(self, folder: Path, count: int = 40) -> None:
        self.paths = [folder / f"{number}.bin" for number in range(count)]
        for path in self.paths:
            path.write_bytes(os.urandom(20_000))

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> bytes:
        return self.paths[index].read_bytes()


class Flipped(Dataset[torch.Tensor]):
    """Mirrored for half of the reads."""

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> torch.Tensor:
        row = torch.arange(4) + index
        return row.flip(0) if torch.rand(()) < 0.5 else row


class Kept(Dataset[torch.Tensor]):
    """Keeps what it made."""

    def __init__(self) -> None:
        self.made: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> torch.Tensor:
        if index not in self.made:
            self.made[index] = torch.tensor([sum(range(300_000)) + index])
        return self.made[index]


def pipeline(data: Any) -> Pipeline:
    return from_object(DataLoader(data, 4, collate_fn=list), TargetOptions("x"))


def test_files_are_read_cold_and_warm_and_stay_as_they_are(tmp_path: Path) -> None:
    """Where the file system lets go of them; else the reason stands in place of a figure."""
    data = Files(tmp_path)
    before = [path.read_bytes() for path in data.paths]
    os.sync()
    found = cold(pipeline(data), ())
    assert found is not None
    if evict([(str(data.paths[0]), 20_000)]):
        assert (found.name, found.per, found.pairs >= 4) == ("cold", "sample", True)
    else:
        assert (found.pairs, found.detail) == (0, "the page cache could not be emptied of the files")
    assert [path.read_bytes() for path in data.paths] == before


def test_items_without_files_have_no_cold_reading() -> None:
    """Nothing lies on a device."""
    assert cold(pipeline(Flipped()), ()) is None


def test_alone_reads_only_what_the_run_did_not(tmp_path: Path) -> None:
    """What was read lies in caches; without enough other items nothing is compared."""
    data = pipeline(Files(tmp_path))
    waited = [4e6] * 40
    assert alone(data, set(range(35)), waited) is None
    found = alone(data, set(range(10)), waited)
    assert found is not None
    assert (found.now_ns, found.pairs) == (4_000_000, 24)


def test_two_samples_of_times_are_compared_by_their_medians() -> None:
    """An outlier decides nothing, and few values say nothing."""
    found = unpaired("alone", [4e6] * 20 + [1e9], [1e6] * 20, per="sample")
    assert found is not None
    assert (found.ratio, found.low, found.high) == (4.0, 4.0, 4.0)
    assert unpaired("alone", [4e6] * 7, [1e6] * 20, per="sample") is None


def test_a_flip_is_no_item_that_stays_the_same() -> None:
    """It falls the same way twice for half of the items."""
    assert cached(pipeline(Flipped()), 1_000_000) is None


def test_what_the_dataset_keeps_already_need_not_be_kept() -> None:
    """The second read takes next to nothing."""
    assert cached(pipeline(Kept()), 1_000_000) is None


def test_items_of_a_stream_are_its_first(tmp_path: Path) -> None:
    """A map gives items from all over, and no more than it has."""
    assert len(list(items_of(pipeline(Files(tmp_path, 5)), 8))) == 5


@pytest.mark.parametrize("count", [1, 3])
def test_repeated_reads_of_equal_items_are_told_with_their_bytes(tmp_path: Path, count: int) -> None:
    """Six thousand files would take what these take, times their number."""
    found = cached(pipeline(Files(tmp_path, count)), 1_000_000)
    assert found is not None
    assert (found.now_bytes, found.then_bytes) == (20_000, 20_000 * count)
