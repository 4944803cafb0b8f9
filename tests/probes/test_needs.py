"""What the loader asks of the machine, read through the whole command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.intent import TargetOptions
from dldoctor.request import Request
from dldoctor.targets import resolve

SOURCE = """
import h5py, torch
from pathlib import Path
from torch.utils.data import DataLoader, Dataset

class Lazy(Dataset):
    file = None
    def __len__(self):
        return 32
    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(Path(__file__).parent / "images.h5")
        return torch.from_numpy(self.file["x"][index])

def make():
    return DataLoader(Lazy(), batch_size=4, num_workers=2)
"""


@pytest.mark.slow
def test_a_file_that_a_library_opened_is_seen_and_a_lazy_handle_can_be_sent(tmp_path: Path) -> None:
    """HDF5 opens it without Python's `open`; the dataset is asked whether it travels before it is read."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "images.h5", "w") as file:
        file["x"] = np.zeros((32, 8), dtype="f4")
    (tmp_path / "lazy_data.py").write_text(SOURCE)

    def load(asked: Any) -> Any:
        return resolve(asked.target)

    request = Request("env", TargetOptions(f"{tmp_path / 'lazy_data.py'}:make"))
    report = diagnose(request, launcher=fork_caller(load))
    needs = report.evidence.needs
    assert needs is not None
    assert needs.paths == (str(tmp_path / "images.h5"),)
    assert needs.unpicklable is None
    assert "DL904" not in {one.rule for one in report.findings}
