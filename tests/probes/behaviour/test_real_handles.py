"""Handles of the packages themselves: HDF5 and LMDB, opened too early and in the worker."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch  # noqa: F401 - loaded once, so that forks need not

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.finding import Level
from dldoctor.intent import TargetOptions
from dldoctor.request import Request

h5py = pytest.importorskip("h5py")
lmdb = pytest.importorskip("lmdb")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.slow

SOURCE = """
import os
import h5py, lmdb, numpy as np, torch
from torch.utils.data import DataLoader, Dataset

FOLDER = os.path.dirname(os.path.abspath(__file__))

class Rows(Dataset):
    def __init__(self, lazy):
        self.handle = None if lazy else self.open()
    def __len__(self):
        return 40
    def __getitem__(self, index):
        if not 0 <= index < 40:
            raise IndexError(index)
        if self.handle is None:
            self.handle = self.open()
        return self.read(index)

class Hdf5(Rows):
    def open(self):
        return h5py.File(os.path.join(FOLDER, "rows.h5"), "r")
    def read(self, index):
        return torch.from_numpy(self.handle["x"][index])

class Lmdb(Rows):
    def open(self):
        return lmdb.open(os.path.join(FOLDER, "rows.lmdb"), readonly=True, lock=False, max_spare_txns=1)
    def read(self, index):
        with self.handle.begin(buffers=False) as transaction:
            return torch.from_numpy(np.frombuffer(transaction.get(b"%d" % index), np.float32).copy())

def early_hdf5(): return DataLoader(Hdf5(False), batch_size=4, num_workers=2)
def lazy_hdf5(): return DataLoader(Hdf5(True), batch_size=4, num_workers=2)
def early_lmdb(): return DataLoader(Lmdb(False), batch_size=4, num_workers=2)
def lazy_lmdb(): return DataLoader(Lmdb(True), batch_size=4, num_workers=2)
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    rows = np.arange(160, dtype=np.float32).reshape(40, 4)
    with h5py.File(folder / "rows.h5", "w") as file:
        file.create_dataset("x", data=rows, chunks=(8, 4), compression="gzip")
    environment = lmdb.open(str(folder / "rows.lmdb"), map_size=2**20)
    with environment.begin(write=True) as transaction:
        for index, row in enumerate(rows):
            transaction.put(b"%d" % index, row.tobytes())
    environment.close()
    path = folder / "rows_data.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def found(target: Path, name: str) -> list[tuple[str, str]]:
    """Rule and kinds of handles of what is above `info`."""

    def load(asked: Any) -> Any:
        from dldoctor.targets import resolve

        warnings.resetwarnings()  # pytest turns them into errors; a user's interpreter does not
        return resolve(asked.target)

    options = {"experiments": ["randomness", "worker_data", "handles", "copies"]}
    request = Request("dry-run", TargetOptions(f"{target}:{name}"), options=options)
    report = diagnose(request, launcher=fork_caller(load), also=("check-workers",))
    return [
        (one.rule, ", ".join(handle["kind"] for handle in one.facts["handles"]))
        for one in report.findings
        if one.level is not Level.INFO
    ]


@pytest.mark.parametrize(
    ("name", "kind"), [("early_hdf5", "HDF5 handle"), ("early_lmdb", "LMDB environment")]
)
def test_a_handle_that_is_opened_before_the_workers_start_is_a_risk(
    target: Path, name: str, kind: str
) -> None:
    """The values are right here, so that is all that can be said."""
    assert found(target, name) == [("DL505", kind)]


@pytest.mark.parametrize("name", ["lazy_hdf5", "lazy_lmdb"])
def test_a_handle_that_is_opened_in_the_worker_is_silent(target: Path, name: str) -> None:
    """Each process has its own."""
    assert found(target, name) == []
