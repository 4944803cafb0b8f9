"""What each command runs, and which rules it judges."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.checks import CHECKS, Check


@dataclass(frozen=True)
class Command:
    """One question that a command answers about a target."""

    name: str
    probes: tuple[str, ...]
    """Probes, in order; each runs in a fresh process."""
    branches: tuple[str, ...]
    """Branches of `Evidence` that its probes fill; one that stays empty is reported as missing."""


EXPERIMENTS = (
    "randomness", "worker_data", "handles", "copies", "start_methods", "reproduction", "resume", "columns",
)  # fmt: skip
"""Probes of ``check-workers``; each fills the branch of its own name."""

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "dry-run",
            probes=("loader", "protocol", "collate"),
            branches=("loader", "samples", "batches", "protocol", "archives", "timing"),
        ),
        Command(
            "sweep",
            probes=("sweep", "loader"),
            branches=("loader", "samples", "batches", "timing", "sweep"),
        ),
        Command("profile", probes=("profile",), branches=("loader", "timing", "profile")),
        Command("check-labels", probes=("labels",), branches=("loader", "labels")),
        Command("check-workers", probes=EXPERIMENTS, branches=("loader", *EXPERIMENTS)),
        Command(
            "watch-memory", probes=("memory", "memory-step", "memory-cause"), branches=("loader", "memory")
        ),
        Command("env", probes=("needs",), branches=("loader", "needs")),
        Command("check-sharding", probes=("sharding",), branches=("loader", "coverage")),
    )
}
"""Every command that diagnoses a target, by name."""


def checks_of(command: str) -> tuple[Check, ...]:
    """Return the checks that a command's evidence decides, in order of their number."""
    return tuple(check for check in CHECKS if "all" in check.by or command in check.by)
