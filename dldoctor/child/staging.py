"""The folder of one run: what the child needs of us, what it notes, what it prints."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRINTED_LIMIT_BYTES = 64 * 2**20
PRINTED_KEPT = 4000


_PREFIX = "dldoctor-"


def _remove_abandoned() -> None:
    """Remove what a run left that was killed with SIGKILL and could not clean up behind itself."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).split("-")[0]
        if owner.isdigit() and not _lives(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's, or a system where this cannot be asked
        return True
    return True


@contextmanager
def staging() -> Iterator[Path]:
    """Make the folder of a run and remove it afterwards."""
    _remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        (folder / "stacks").mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def library(folder: Path) -> Path:
    """Return a folder below `folder` that holds our package and nothing else of ours.

    Our own site-packages must not reach the user's interpreter: it has its own versions.
    """
    ours = Path(__file__).resolve().parent.parent
    root = folder / "lib"
    if root.is_dir():
        return root
    root.mkdir()
    try:
        (root / ours.name).symlink_to(ours, target_is_directory=True)
    except OSError:  # file systems and accounts without symbolic links
        shutil.copytree(ours, root / ours.name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def trim_printed(path: Path) -> None:
    """Keep what the user's code prints from filling the disk."""
    try:
        if path.stat().st_size > PRINTED_LIMIT_BYTES:
            with path.open("r+b") as file:
                file.truncate(0)
    except OSError:
        return


def printed(path: Path) -> tuple[str, int]:
    """Return the end of what was printed, and how many lines there were."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
            file.seek(max(0, size - 4 * PRINTED_KEPT))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return "", 0
    return text[-PRINTED_KEPT:], lines
