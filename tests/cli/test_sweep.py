"""The options of `dldoctor sweep`, and one whole run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dldoctor.cli.main import run

WAITING = """
import time, torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self): return 256
    def __getitem__(self, index):
        time.sleep(0.02)
        return torch.full((4,), float(index))

def make(): return DataLoader(Rows(), batch_size=4)
"""


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "data.py"
    path.write_text(WAITING)
    return f"{path}:make"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--check"], "`--check` needs a budget"),
        (["--check", "--budget", "padding=0.3"], "`--check` needs a budget"),
        (["--check", "--budget", "data-wait=0.1"], "the budget `data-wait` needs a consumer"),
        (["--step-from", "nowhere.json"], "cannot read nowhere.json"),
        (["--vary", "batch-sizes=8,16"], "no setting `batch_sizes` to vary"),
    ],
)
def test_what_cannot_be_swept_is_refused(
    target: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, before anything runs."""
    assert run(["sweep", target, *options]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.serial
def test_a_sweep_writes_the_keys_that_scripts_read(target: str, tmp_path: Path) -> None:
    """Rates, points, the recommended arguments and the gain, of a loader that waits and has no workers."""
    report = tmp_path / "report.json"
    status = run(
        [
            "sweep",
            target,
            "--time-budget",
            "8",
            "--workers",
            "0,4",
            "--prefetch",
            "2",
            "-o",
            str(report),
            "--quiet",
        ]
    )
    found = json.loads(report.read_text())["evidence"]["sweep"]
    assert status == 0
    assert set(found["rates"]) >= {"loader", "consumer", "cores", "free"}
    assert [(one["num_workers"], one["prefetch_factor"]) for one in found["points"]] == [(0, None), (4, 2)]
    keys = {"predicted", "low", "high", "measured", "wait_share", "gpu_utilization"}
    assert all(set(one) >= keys for one in found["points"])
    assert found["recommended"] == {"num_workers": 4, "prefetch_factor": 2}
    assert 0 < found["gain"]["low"] <= found["gain"]["high"]


@pytest.mark.slow
@pytest.mark.serial
def test_a_check_judges_the_budget(target: str, tmp_path: Path) -> None:
    """80 ms a batch without workers never reach 1,000 samples a second, and always reach ten."""
    for budget, status in (("samples-per-s=1000", 1), ("samples-per-s=10", 0)):
        options = ["--check", "--budget", budget, "--time-budget", "5", "--quiet"]
        assert run(["sweep", target, *options, "-o", str(tmp_path / "report.json")]) == status
