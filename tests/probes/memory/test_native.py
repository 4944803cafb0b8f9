"""A pass under the real memray."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dldoctor.child.launch import fork_caller
from dldoctor.diagnose import diagnose
from dldoctor.intent import Limits, TargetOptions
from dldoctor.request import Request
from dldoctor.targets import resolve

CASE = Path(__file__).parents[2] / "zoo" / "memory_leak.py"


def _watched(function: str, file: Path) -> Any:
    def load(asked: Any) -> Any:
        return resolve(asked.target)

    request = Request(
        "watch-memory",
        TargetOptions(f"{CASE}:{function}"),
        limits=Limits(time_budget_s=6.0),
        options={"memray": str(file)},
    )
    memory = diagnose(request, launcher=fork_caller(load)).evidence.memory
    assert memory is not None
    return memory.native


@pytest.mark.slow
def test_the_recording_is_kept_and_names_the_line(tmp_path: Path) -> None:
    """The recording can be read again; what is kept was allocated where the case keeps it."""
    memray = pytest.importorskip("memray")
    file = tmp_path / "trace.bin"
    native = _watched("broken_without_workers", file)
    text = CASE.read_text().splitlines()
    assert (native.file, native.skipped) == (str(file), None)
    assert text[native.kept[0].where.line - 1].strip() == "HISTORY.append(bytes(KEPT))"
    assert 0.9 < native.kept[0].kept_bytes / (60_000 * native.samples) < 1.1
    with memray.FileReader(file) as recording:
        assert recording.metadata.peak_memory > 0
    assert [path.name for path in tmp_path.iterdir()] == ["trace.bin"]


@pytest.mark.slow
def test_without_memray_the_pass_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written."""
    monkeypatch.setitem(sys.modules, "memray", None)
    native = _watched("fixed", tmp_path / "trace.bin")
    assert native.skipped == "memray is not installed in the environment of the loader"
    assert list(tmp_path.iterdir()) == []
