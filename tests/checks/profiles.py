"""A profiled run that nothing is wrong with, and how a check judges changes of it."""

from __future__ import annotations

from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.evidence.profile import ProfileEvidence
from dldoctor.finding import Remark, Unjudged
from dldoctor.intent import Intent

PROFILE = ProfileEvidence(batches=20, samples=160, num_workers=2, batch_ns=40_000_000, gap_ns=40_000_000)
MACHINE = MachineEvidence(2.0, 2, 8 * 10**9, 4 * 10**9)


def judged(
    check: Check,
    profile: ProfileEvidence,
    commands: tuple[str, ...] = ("profile",),
    step_ms: float | None = None,
    role: Any = None,
    **settings: Any,
) -> list[tuple[str, str, str]]:
    """Return level (or status), message (or reason) and advice of each answer."""
    given = {"kind": "map", "given": "loader", "num_workers": 2, "start_method": "fork", **settings}
    spec = LoaderSpec(loader_type="DataLoader", dataset_type="Set", batch_size=8, **given)
    evidence = Evidence(loader=spec, machine=MACHINE, profile=profile)
    case = Case(evidence, Intent(step_ms=step_ms, role=role), commands=commands)
    return [
        (one.status if isinstance(one, Unjudged) else "clean", one.reason, "")
        if isinstance(one, Unjudged | Remark)
        else (one.level.value, one.message, one.advice)
        for one in check.judge(case)
    ]
