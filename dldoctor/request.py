"""What is asked of one run: a command, its target, what was declared, what it may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dldoctor.intent import Intent, Limits, TargetOptions


@dataclass(frozen=True)
class Request:
    """One command on one target, as the command line or the Python API asks for it."""

    command: str
    """``dry-run``, ..."""
    target: TargetOptions
    intent: Intent = Intent()
    limits: Limits = Limits()
    python: str | None = None
    """Interpreter that runs the user's code; null for this one."""
    select: tuple[str, ...] = ()
    """Rules to judge: numbers, names, prefixes; empty means all."""
    ignore: tuple[str, ...] = ()
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Rule number to settings that differ from the rule's own."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of this command alone, as plain JSON values; its probes read them."""


def declared(request: Request) -> dict[str, Any]:
    """Return what was declared, for the report: the intent, and settings of rules that are not their own."""
    rules = {f"{rule}.{name}": value for rule, own in request.settings.items() for name, value in own.items()}
    return request.intent.declared() | ({"rules": rules} if rules else {})
