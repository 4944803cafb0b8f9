"""What a probe makes up gets into no file of the user's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from dldoctor.child.fork import run_in_fork
from dldoctor.probes.write_guard import no_writing


def test_a_dataset_that_writes_is_stopped(tmp_path: Path) -> None:
    """By Python, numpy or torch, and only meanwhile; in a process of its own, whose hook stays."""

    def tried() -> list[str]:
        found = []
        writers = (
            lambda name: Path(f"{name}.txt").write_text("kept"),
            lambda name: np.save(f"{name}.npy", np.zeros(2)),
            lambda name: torch.save([1], f"{name}.pt"),
        )
        for write in writers:
            with no_writing():
                try:
                    write(tmp_path / "during")
                except PermissionError as error:
                    found.append(type(error).__name__)
            write(tmp_path / "after")
        return found

    assert run_in_fork(str(tmp_path), tried) == ["PermissionError"] * 3
    assert sorted(one.name for one in tmp_path.glob("*.*") if "after" in one.name) == [
        "after.npy",
        "after.pt",
        "after.txt",
    ]
    assert not list(tmp_path.glob("during*"))
