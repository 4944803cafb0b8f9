"""Where a run stands, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Progress:
    """Where a run stands; sent a few times a second."""

    phase: str
    """What is being done, as a short phrase (``importing torch``, ``reading batches``)."""
    batches: int = 0
    planned: int | None = None
    samples: int = 0
    failures: int = 0
    elapsed_s: float = 0.0
    left_s: float | None = None
    """Estimate of the time left; null where it is not known."""
    batches_per_s: float | None = None


MANY_PROBES = 10
"""From more than these on, progress says which one of how many is at work."""

OnProgress = Callable[[Progress], None]

_PHRASES = {
    "starting": "starting",
    "import": "importing the target",
    "loader": "reading batches",
    "protocol": "asking the dataset",
    "collate": "trying the collate",
    "sharding": "running the ranks",
    "profile": "timing every stage",
    "randomness": "drawing the same items in several workers",
    "worker_data": "comparing workers with none",
    "handles": "looking for open handles",
    "copies": "changing the epoch",
    "start_methods": "starting workers by each method",
    "reproduction": "running twice with one seed",
    "resume": "stopping and going on",
    "columns": "looking for dropped columns",
    "labels": "reading labels",
    "alignment": "tracing rows to samples",
    "placeholders": "counting placeholders",
    "class_maps": "looking for classes",
    "overlap": "looking for items of both sides",
    "sweep": "trying settings",
    "rows": "collecting rows to look at",
    "memory": "watching memory",
    "needs": "asking what the loader needs",
    "memory-step": "watching memory with the step",
    "memory-cause": "looking for what keeps it",
}


def silent(_: Progress) -> None:
    """Show no progress."""


def progress_of(event: dict[str, Any], probes: tuple[str, ...]) -> Progress:
    """Return where a run of these probes stands, by an event of the child."""
    phase = event.get("phase", "")
    known = {name: event[name] for name in Progress.__dataclass_fields__ if name in event and name != "phase"}
    phrase = _PHRASES.get(phase, phase)
    many = phase in probes and len(probes) > MANY_PROBES
    stage = f" ({probes.index(phase) + 1} of {len(probes)})" if many else ""
    return Progress(phase=f"{phrase}{stage}", **known)
