"""What each command runs, and which rules it judges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dldoctor.checks import CHECKS, Check
from dldoctor.finding import Judgement
from dldoctor.third_party import every, installed


@dataclass(frozen=True)
class Command:
    """One question that a command answers about a target."""

    name: str
    probes: tuple[str, ...]
    """Probes, in order; each runs in a fresh process."""
    branches: tuple[str, ...]
    """Branches of `Evidence` that its probes fill; one that stays empty is reported as missing."""
    shows: tuple[str, ...] = ()
    """Probes that run after these and decide no rule; a checkup, which judges, goes without."""
    place: int = 2
    """Place in a checkup: what is cheap and decides much comes first."""


EXPERIMENTS = (
    "randomness", "worker_data", "handles", "copies", "start_methods", "reproduction", "resume", "columns",
)  # fmt: skip
"""Probes of ``check-workers``; each fills the branch of its own name."""

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "dry-run",
            probes=("loader", "protocol", "collate", "pictures"),
            branches=("loader", "samples", "batches", "protocol", "archives", "timing", "pictures"),
            place=0,
        ),
        Command(
            "sweep",
            probes=("sweep", "loader"),
            branches=("loader", "samples", "batches", "timing", "sweep"),
            place=7,
        ),
        Command("profile", probes=("profile",), branches=("loader", "timing", "profile"), place=6),
        Command("check-labels", probes=("labels",), branches=("loader", "labels"), place=1),
        Command(
            "check-alignment",
            probes=("alignment", "placeholders"),
            branches=("loader", "alignment", "placeholders"),
            shows=("rows",),
        ),
        Command("check-workers", probes=EXPERIMENTS, branches=("loader", *EXPERIMENTS), place=4),
        Command(
            "watch-memory",
            probes=("memory", "memory-step", "memory-cause"),
            branches=("loader", "memory"),
            place=5,
        ),
        Command("env", probes=("needs",), branches=("loader", "needs"), place=2),
        Command("check-sharding", probes=("sharding",), branches=("loader", "coverage"), place=3),
    )
}
"""Every command that diagnoses a target, by name; `CHECKUP` is all of them in one run."""


COMPARE = Command(
    "compare",
    probes=("loader", "labels", "class_maps", "overlap"),
    branches=("loader", "samples", "batches", "timing", "labels", "class_maps", "overlap"),
)
"""What `compare` runs on each of its two targets; one target has nothing to be held against, so no checkup has it."""


LAST = ("reproduction", "profile", "start_methods", "resume", "sweep")
"""Probes that come last in a checkup: they start interpreters, or ask a question of speed alone."""


def _all_of(commands: Iterable[Command]) -> Command:
    ordered = sorted(commands, key=lambda command: command.place)
    probes = dict.fromkeys(probe for command in ordered for probe in command.probes)
    return Command(
        "checkup",
        probes=tuple(sorted(probes, key=lambda probe: LAST.index(probe) + 1 if probe in LAST else 0)),
        branches=tuple(dict.fromkeys(branch for command in ordered for branch in command.branches)),
    )


CHECKUP = _all_of(COMMANDS.values())
SHARES: dict[str, float] = {
    "loader": 6.0, "protocol": 1.5, "collate": 0.5, "labels": 1.5, "needs": 0.5, "randomness": 2.0, "worker_data": 2.0,
    "handles": 0.5, "columns": 0.3, "reproduction": 3.0, "sharding": 3.0, "memory": 3.0, "memory-step": 0.5,
    "memory-cause": 0.5, "profile": 2.0, "sweep": 12.0,
}  # fmt: skip
"""What a probe may take of the time of a checkup, relative to the others; 1 where it is not listed."""


def command_of(name: str, wanted: Iterable[Check] = CHECKS) -> Command:
    """Return what a command runs; a checkup leaves out what decides none of the wanted rules."""
    if name == COMPARE.name:
        return COMPARE
    if name != CHECKUP.name:
        return COMMANDS[name]
    asked = {command for check in wanted for command in check.by}
    # What a dry run learns of the fields, others read.
    return _all_of(one for one in COMMANDS.values() if one.name in asked or one.place == 0)


def probe_of(branch: str) -> str:
    """Return the probe that fills a branch of the evidence: the one of its name, or its command's first."""
    if branch in CHECKUP.probes:
        return branch
    ordered = sorted(COMMANDS.values(), key=lambda command: command.place)
    return next((command.probes[0] for command in ordered if branch in command.branches), branch)


def shares_of(name: str) -> dict[str, float]:
    """Return how the probes of a command share its time; empty where each takes what it needs."""
    return {probe: SHARES.get(probe, 1.0) for probe in CHECKUP.probes} if name == CHECKUP.name else {}


def checks_of(command: str) -> tuple[Check, ...]:
    """Return the checks that a command's evidence decides, in order of their number."""
    judged = set(COMMANDS) if command == CHECKUP.name else {command}
    return tuple(check for check in every() if "all" in check.by or judged & set(check.by))


def unusable() -> tuple[Judgement, ...]:
    """Return the checks of other packages that nothing can judge, with the reason."""
    known = {"all", COMPARE.name, *COMMANDS}
    lost = [check for check in installed().checks if not set(check.by) & known]
    return (
        *installed().broken,
        *(
            Judgement(
                one.rule, one.name, "skipped", f"no command is called {' or '.join(one.by) or 'nothing'}"
            )
            for one in lost
        ),
    )


def owner_of(check: Check) -> str:
    """Return the command that decides a rule alone; a rule of all commands is a checkup's."""
    return next((name for name in check.by if name in COMMANDS), CHECKUP.name)
