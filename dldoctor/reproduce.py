"""The command that shows a finding again in seconds."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any

from dldoctor.finding import Finding
from dldoctor.intent import Intent, Limits, LoaderOptions, TargetOptions

IDS_NAMED = 8


def command_line(
    command: str, finding: Finding, target: TargetOptions, intent: Intent, limits: Limits
) -> str:
    """Return a command line with the same target, settings and declarations, and the samples of a finding.

    There is none for a live object.
    """
    if target.is_live:
        return ""
    parts = ["dldoctor", command, target.spec, *_arguments(target), *_settings(target.loader)]
    parts += _declared(intent, with_budgets=finding.name == "budget-missed")
    if limits.ranks and command == "check-sharding":
        parts += ["--ranks", str(limits.ranks)]
    indices = [one for one in finding.samples if isinstance(one, int)]
    if indices and len(indices) == len(finding.samples):
        parts += ["--ids", ",".join(str(index) for index in indices[:IDS_NAMED])]
    return shlex.join([*parts, "--select", finding.rule])


def arguments_of(target: TargetOptions) -> str:
    """Return the arguments of a target as a command line has them."""
    return shlex.join(_arguments(target))


def _arguments(target: TargetOptions) -> list[str]:
    parts = [word for pair in target.kwargs for word in ("-k", pair)]
    return [*parts, "--loader", target.loader_key] if target.loader_key else parts


def _settings(loader: LoaderOptions) -> list[str]:
    parts = []
    for name, value in asdict(loader).items():
        if value is not None:
            parts += _option(name, value)
    return parts


def _declared(intent: Intent, *, with_budgets: bool) -> list[str]:
    parts = []
    for name, value in intent.declared().items():
        if name == "fields":
            for role, path in value.items():
                parts += ["--field", f"{role}={path}"]
        elif name == "budgets":
            for budget, limit in value.items() if with_budgets else ():
                parts += ["--budget", f"{budget}={limit:g}"]
        else:
            for one in value if isinstance(value, list | tuple) else (value,):
                parts += _option(name, one)
    return parts


def _option(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    # With a sign in front, a value of its own would be read as an option.
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]
