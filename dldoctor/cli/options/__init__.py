"""The options that commands share, one group a file.

A group is a frozen dataclass whose fields are options; `grouped` spreads it over the command line
and hands the filled dataclass to the command. ``None`` or empty means: not given, so that the
config file holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.cli.options.grouped import grouped
from dldoctor.cli.options.intent import IntentGroup
from dldoctor.cli.options.limits import LimitGroup
from dldoctor.cli.options.output import OutputGroup
from dldoctor.cli.options.rules import RuleGroup
from dldoctor.cli.options.target import TargetArgument, TargetGroup

__all__ = ["OutputGroup", "RunOptions", "TargetArgument", "grouped"]


@dataclass(frozen=True)
class RunOptions:
    """All that a command takes which runs a target."""

    target: TargetGroup
    intent: IntentGroup
    limits: LimitGroup
    rules: RuleGroup
    output: OutputGroup
