"""What the parent asks of the child, as JSON, and how the child reads it without our libraries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dldoctor.intent import Intent, Limits, LoaderOptions, TargetOptions


@dataclass(frozen=True)
class ChildRequest:
    """One run of the child."""

    target: TargetOptions
    intent: Intent
    limits: Limits
    probes: tuple[str, ...]
    """Probes to run, in order, each in a process of its own."""
    staging: str
    """Folder of this run: board, stacks, what was printed; removed by the parent."""
    events: int
    """Descriptor of the pipe for events."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the command, as plain JSON values."""
    shares: dict[str, float] = field(default_factory=dict)
    """What each probe may take of the time budget, relative to the others; empty where they do not
    share it."""


def read_request(data: dict[str, Any]) -> ChildRequest:
    """Build the request from its JSON form."""
    target = dict(data["target"])
    options = TargetOptions(
        **{**target, "kwargs": tuple(target["kwargs"]), "loader": LoaderOptions(**target["loader"])}
    )
    limits = Limits(**data["limits"])
    return ChildRequest(
        target=options,
        intent=Intent(**{**data["intent"], "image_token_id": tuple(data["intent"]["image_token_id"])}),
        limits=replace(limits, ids=tuple(limits.ids)),
        probes=tuple(data["probes"]),
        staging=data["staging"],
        events=data["events"],
        options=data["options"],
        shares=data["shares"],
    )
