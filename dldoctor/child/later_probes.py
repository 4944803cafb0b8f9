"""What the supervisor tells the probes that come after one that hung; they read it by `Session.read_note`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from dldoctor.evidence.outcome import Hang, WorkAt


def leave_deadly(folder: Path, works: Iterable[WorkAt]) -> None:
    """Name the samples that must not be read again."""
    path = folder / "note-deadly.json"
    known = json.loads(path.read_text()) if path.exists() else []
    stuck = {str(work.sample) for work in works if work.stage in ("getitem", "getitems")}
    path.write_text(json.dumps(sorted({*known, *stuck})))


def leave_barren(folder: Path, hang: Hang) -> None:
    """Say that a stream gives nothing, if that was so: each probe would wait for it as long again."""
    if not hang.samples_read:
        (folder / "note-barren.json").write_text("true")
