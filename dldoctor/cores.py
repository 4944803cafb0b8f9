"""How many cores this process may use. Needs nothing but Python: the child asks too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")


def cores_allowed(root: Path = CGROUP, membership: Path = MEMBERSHIP) -> float:
    """Return the cores that may be used: affinity or the tightest cgroup quota, the smaller."""
    return min([cores_seen(), *quotas(root, membership)])


def cores_seen() -> float:
    """Return the cores of the affinity mask, which is all that torch asks for its own suggestion."""
    affinity = getattr(os, "sched_getaffinity", None)
    return float(len(affinity(0)) if affinity else os.cpu_count() or 1)


def quotas(root: Path = CGROUP, membership: Path = MEMBERSHIP) -> Iterator[float]:
    """Yield the quota of each group from our own up to the root, in cores (v2, then v1).

    A quota set on any group above ours binds as well, and mixed hosts have both versions mounted.
    """
    for path in groups(root, membership, controller=""):
        with contextlib.suppress(OSError, ValueError):
            quota, period = (path / "cpu.max").read_text().split()
            if quota != "max" and float(period) > 0:
                yield float(quota) / float(period)
    for name in ("cpu", "cpu,cpuacct"):
        for path in groups(root / name, membership, controller="cpu"):
            with contextlib.suppress(OSError, ValueError):
                quota_us = float((path / "cpu.cfs_quota_us").read_text())
                period_us = float((path / "cpu.cfs_period_us").read_text())
                if quota_us > 0 and period_us > 0:
                    yield quota_us / period_us


def groups(root: Path, membership: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of our group and of all above it; in a container that is often the root alone."""
    yield root
    with contextlib.suppress(OSError, ValueError):
        for line in membership.read_text().splitlines():
            _, names, path = line.split(":", 2)
            if names == controller if not controller else controller in names.split(","):
                folder = root
                for part in Path(path).parts:
                    if part not in ("/", ".."):
                        folder /= part
                        yield folder
