"""A checkup: every command's rules in one run, within its time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.finding import Level
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.report import Report, load
from dldoctor.request import Request
from dldoctor.targets import resolve

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent

SLOW_ITEMS = """
import time
import torch
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.7)
        return torch.full((4,), float(index))

def make():
    return DataLoader(Slow(), batch_size=4)
"""


def examine(target: str, budget_s: float, **intent: object) -> Report:
    """Run a checkup in a fork of this process."""
    import torch  # noqa: F401 - loaded once, so that forks need not

    def load_target(asked: object) -> object:
        from dldoctor.targets import resolve

        return resolve(asked.target)

    request = Request(
        "checkup", TargetOptions(target), Intent(**intent), Limits(time_budget_s=budget_s), ignore=("DL9",)
    )
    return diagnose(request, launcher=fork_caller(load_target))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ["chat", "shards"])
def test_a_healthy_sample_pipeline_passes(name: str, tmp_path: Path) -> None:
    """From the command line, at the level of warnings, with what it judged in the report."""
    target = f"sample_datasets/{name}/pipeline.py:make_loader"
    path = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "dldoctor", "checkup", target, "--fail-on", "warning", "-o", path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout
    report = load(path)
    assert [one for one in report.findings if one.level is not Level.INFO] == []
    assert (report.command, report.complete, report.fail_on) == ("checkup", True, "warning")
    judged = {check.rule for check in report.checks if check.status in ("clean", "finding")}
    assert judged >= {"DL105", "DL112", "DL201" if name == "shards" else "DL301"}
    assert "nothing wrong was found" in done.stdout


def test_each_finding_has_the_command_that_decides_it() -> None:
    """Faults that three commands look for come in one list, the worst first."""
    target = f"{ROOT}/sample_datasets/chat/pipeline.py:make_loader_with_truncated_answers"
    report = examine(target, 40, role="train")
    ranks = [one.level.rank for one in report.findings]
    assert ranks == sorted(ranks)
    (cut,) = [one for one in report.findings if one.rule == "DL303"]
    assert cut.reproduce.startswith(f"dldoctor check-labels {target} --role train ")


def test_what_takes_too_long_is_left_out_and_is_no_fault(tmp_path: Path) -> None:
    """A probe that is ended for want of time is neither a death nor a hang, and its rules are skipped."""
    (tmp_path / "slow_items.py").write_text(SLOW_ITEMS)
    report = examine(f"{tmp_path}/slow_items.py:make", 12)
    assert [one.rule for one in report.findings if one.level is not Level.INFO] == []
    assert (report.evidence.outcome.deaths, report.evidence.outcome.hangs) == ((), ())
    statuses = {check.rule: (check.status, check.reason) for check in report.checks}
    no_room = "the time budget of 12 s had no room for it; `--time-budget` gives more"
    assert statuses["DL702"] == ("skipped", no_room)
    assert "profile" in report.evidence.left_out


SHUFFLED = """
import torch
from torch.utils.data import DataLoader

def collate(rows):
    longest = max(len(row) for row in rows)
    return {"input_ids": torch.stack([torch.nn.functional.pad(row, (0, longest - len(row))) for row in rows])}

def make():
    rows = [torch.arange(1, 3 + index * 7 % 40) for index in range(96)]
    return DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
"""


def test_a_second_checkup_reads_the_same_batches(tmp_path: Path) -> None:
    """Padding of a loader that shuffles is another in each order: near a threshold it would come and go."""
    (tmp_path / "shuffled.py").write_text(SHUFFLED)

    def padding(seed: int | None) -> object:
        request = Request(
            "checkup",
            TargetOptions(f"{tmp_path}/shuffled.py:make"),
            limits=Limits(seed=seed),
            select=("DL312",),
        )
        report = diagnose(request, launcher=fork_caller(lambda asked: resolve(asked.target)))
        assert report.evidence.batches is not None
        return report.evidence.batches.padding

    assert padding(None) == padding(None)
    assert padding(None) != padding(5)
