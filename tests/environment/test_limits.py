"""Limits from files made by hand: cgroup v1 and v2, mounts, settings of threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.cores import quotas
from dldoctor.environment.cores import numa_nodes
from dldoctor.environment.measure import thread_settings
from dldoctor.environment.storage import mount_of, storage_of
from dldoctor.machine import memory_limit_bytes


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_tightest_memory_limit_of_the_path_holds_in_v2(tmp_path: Path) -> None:
    """A limit above our own group binds as well."""
    _file(tmp_path / "me", "0::/jobs/step\n")
    _file(tmp_path / "cg/memory.max", "max\n")
    _file(tmp_path / "cg/jobs/memory.max", "1000000\n")
    _file(tmp_path / "cg/jobs/step/memory.max", "2000000\n")
    assert memory_limit_bytes(tmp_path / "cg", tmp_path / "me") == 1_000_000


def test_the_memory_limit_of_v1_is_that_of_our_own_group(tmp_path: Path) -> None:
    """The root of v1 has a limit that nobody reaches."""
    _file(tmp_path / "me", "4:memory:/slurm/job_7\n0::/\n")
    _file(tmp_path / "cg/memory/memory.limit_in_bytes", "9223372036854771712\n")
    _file(tmp_path / "cg/memory/slurm/job_7/memory.limit_in_bytes", "3000000\n")
    assert memory_limit_bytes(tmp_path / "cg", tmp_path / "me") == 3_000_000


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "max 100000\n"}, []),
        ({"cpu.max": "150000 100000\n"}, [1.5]),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, []),
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, [4.0]),
    ],
)
def test_quotas_are_read_in_both_versions(
    tmp_path: Path, files: dict[str, str], expected: list[float]
) -> None:
    """In cores."""
    for name, text in files.items():
        _file(tmp_path / "cg" / name, text)
    assert list(quotas(tmp_path / "cg", tmp_path / "none")) == expected


def test_the_mount_with_the_longest_path_is_the_one(tmp_path: Path) -> None:
    """File system and device of the folder."""
    table = tmp_path / "mountinfo"
    table.write_text(
        "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
        "40 22 0:50 / /data rw - nfs4 server:/export rw\n"
        "41 22 0:51 / /database rw - xfs /dev/vdb rw\n"
    )
    assert mount_of("/data/images", table) == ("nfs4", "server:/export")
    assert mount_of("/database", table) == ("xfs", "/dev/vdb")
    assert mount_of("/home", table) == ("ext4", "/dev/vda")


def test_nodes_and_thread_settings(tmp_path: Path) -> None:
    """What is not set is said to be so."""
    for name in ("node0", "node1", "possible"):
        (tmp_path / name).mkdir()
    assert numa_nodes(tmp_path) == 2
    settings = {one.source: one.value for one in thread_settings({"OMP_NUM_THREADS": "4", "SECRET": "x"})}
    assert settings["OMP_NUM_THREADS"] == "4"
    assert settings["MKL_NUM_THREADS"] == ""
    assert "SECRET" not in settings


def test_reading_leaves_the_files_as_they_are(tmp_path: Path) -> None:
    """Only read, within the bound; both rates come out, or a note says why not."""
    data = tmp_path / "data"
    data.mkdir()
    for number in range(3):
        (data / f"{number}.bin").write_bytes(bytes([number]) * 200_000)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in data.iterdir()}
    (found,) = storage_of([str(path) for path in data.iterdir()])
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in data.iterdir()} == before
    assert (found.path, found.files, found.bytes) == (str(data), 3, 600_000)
    assert found.warm_bytes_per_s is not None
    assert found.cold_bytes_per_s is not None or found.note
