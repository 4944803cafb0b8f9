"""The Chrome trace is read by torch-tb-profiler's own parser, and its waits are loader time there."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dldoctor.evidence import Evidence
from dldoctor.evidence.profile import BatchTimes, ProfileEvidence
from dldoctor.render.trace import chrome_trace
from tests.render.reports import healthy_dry_run

MS = 1_000_000
TIMELINE = tuple(
    BatchTimes(
        n, n % 2, 0, n * 10 * MS, (n * 10 + 6) * MS, (n * 10 + 7) * MS, (n * 10 + 7) * MS, (n * 10 + 8) * MS,
        (n * 10 + 8) * MS, (n * 10 + 9) * MS, 0, (n * 10 + 1) * MS, (n * 10 + 9) * MS, (("3", n * 10 * MS, (n * 10 + 6) * MS),),
    )
    for n in range(4)
)  # fmt: skip
PARSE = """
import sys
from torch_tb_profiler.io import Cache
from torch_tb_profiler.profiler.data import RunProfileData
if __name__ == "__main__":
    data = RunProfileData.parse("worker", None, sys.argv[1], "/tmp")
    from torch_tb_profiler.profiler.event_parser import ProfileRole
    print(data.avg_costs.costs[ProfileRole.DataLoader], data.avg_costs.costs[ProfileRole.Total])
"""


def traced() -> str:
    evidence = Evidence(profile=ProfileEvidence(4, 4, 2, 8 * MS, 8 * MS, timeline=TIMELINE))
    return chrome_trace(replace(healthy_dry_run(), evidence=evidence))


def test_waits_have_the_name_and_category_that_tensorboard_counts() -> None:
    """One wait and one step a batch; what it does not know has a category of ours."""
    events = json.loads(traced())["traceEvents"]
    waits = [e for e in events if e.get("cat") == "cpu_op"]
    assert {e["name"] for e in waits} == {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"}
    assert [e["dur"] for e in waits] == [8000.0] * 4
    assert [e["name"] for e in events if e.get("cat") == "user_annotation"] == [
        f"ProfilerStep#{n}" for n in range(4)
    ]


def test_nothing_profiled_is_a_trace_without_events() -> None:
    """Not an error: the loader may have died before."""
    assert json.loads(chrome_trace(healthy_dry_run()))["traceEvents"] == []


@pytest.mark.slow
def test_torch_tb_profiler_counts_the_waits(tmp_path: Path) -> None:
    """Its own parser, in a process of its own under a main guard."""
    pytest.importorskip("torch_tb_profiler")
    path = tmp_path / "worker.pt.trace.json"
    path.write_text(traced())
    script = tmp_path / "parse.py"
    script.write_text(PARSE)
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loading, total = (float(word) for word in done.stdout.split()[-2:])
    assert 0.7 < loading / total <= 1.0
