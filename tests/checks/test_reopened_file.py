"""DL717 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.reopened_file import ReopenedFile
from dldoctor.evidence.profile import ReopenedFile as Opened
from dldoctor.evidence.profile import StorageEvidence
from tests.checks.profiles import PROFILE, judged

ZIP = Opened("rows.zip", 1.0, 9_000_000, 0.82)


def found(*files: Opened, **more: Any) -> list[tuple[str, str, str]]:
    return judged(ReopenedFile(), replace(PROFILE, storage=StorageEvidence(0, 0, 1.0, files), **more))


def test_names_path_and_time() -> None:
    """Once for each sample."""
    message = "`rows.zip` is opened once for each sample, which takes 9 ms, 82% of a sample's time"
    assert found(ZIP) == [("warning", message, "Open it once in each worker, on first use, and keep it.")]


def test_rare_or_cheap_openings_are_no_finding() -> None:
    """Less than one a sample, or below 10% of its time."""
    assert found(replace(ZIP, opens_per_sample=0.5)) == []
    assert found(replace(ZIP, share=0.09)) == []
    assert found() == []


def test_few_batches_are_too_little() -> None:
    """Opening once and opening again look alike."""
    assert [one[0] for one in found(ZIP, batches=2)] == ["insufficient-evidence"]


def test_files_that_are_opened_in_turn_count_together() -> None:
    """One finding for all of them; an `.npz` is read anew whenever an array is asked for, open or not."""
    shards = replace(ZIP, path="s3.zip", files=6)
    assert found(shards) == [
        (
            "warning",
            "one of 6 files such as `s3.zip` is opened once for each sample, which takes 9 ms, 82% of a sample's time",
            "Open each once in each worker, on first use, and keep it.",
        )
    ]
    arrays = found(replace(ZIP, path="a.npz"))[0]
    assert arrays[1].startswith("`a.npz` is opened and read once for each sample")
    assert (
        arrays[2]
        == "Store the arrays as `.npy` and map each once in a worker (`np.load(path, mmap_mode='r')`)."
    )
