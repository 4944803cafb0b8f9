"""The Python files of a project that are its own, and not an environment's, a build's or a test's."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILES_READ: Final = 2000
"""So many files are read at most; a first config must come at once."""
_TELLING: Final = re.compile(
    rb"Loader|Dataset|DataModule|Trainer|DataCollator|AutoModelFor|ImageFolder|CIFAR|CocoDetection|VOC[DS]|CTCLoss"
)
"""A file without any of these words says nothing, and need not be parsed."""
_NOT_ITS_OWN: Final = frozenset({"build", "dist", "node_modules", "site-packages", "test", "tests", "docs"})


@dataclass(frozen=True)
class ProjectFiles:
    """The files that were looked at."""

    paths: tuple[Path, ...]
    """In order of their names, those nearest to the top first."""
    cut: bool = False
    """Whether there are more than were read."""


def own_files(folder: Path) -> ProjectFiles:
    """Return the Python files below a folder, without hidden ones, environments, builds and tests."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_own(Path(place) / name))
        found += [Path(place) / name for name in sorted(names) if _is_source(name)]
        if len(found) > FILES_READ:
            break
    ordered = sorted(found, key=lambda path: (len(path.parts), path))
    return ProjectFiles(tuple(ordered[:FILES_READ]), cut=len(found) > FILES_READ)


def is_telling(path: Path) -> bool:
    """Whether a file has a word that a loader, or a guess about one, needs."""
    try:
        return _TELLING.search(path.read_bytes()) is not None
    except OSError:
        return False


def _is_source(name: str) -> bool:
    is_test = name.startswith("test_") or name.endswith("_test.py") or name in ("conftest.py", "setup.py")
    return name.endswith(".py") and not name.startswith(".") and not is_test


def _is_own(folder: Path) -> bool:
    name = folder.name
    if name.startswith((".", "__")) or name in _NOT_ITS_OWN:
        return False
    return not (folder / "pyvenv.cfg").exists() and not (folder / "conda-meta").exists()
