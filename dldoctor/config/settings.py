"""What a config file comes to: settings of a run, named targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dldoctor.finding import FailOn
from dldoctor.intent import Intent, Limits, LoaderOptions


@dataclass(frozen=True)
class Settings:
    """What holds for one run, whoever said it."""

    intent: Intent = Intent()
    limits: Limits = Limits()
    loader: LoaderOptions = LoaderOptions()
    select: tuple[str, ...] = ()
    """Rules to judge: numbers, names, prefixes; empty means all."""
    ignore: tuple[str, ...] = ()
    fail_on: FailOn = "error"
    """The lowest level that gives exit status 1."""
    python: str | None = None
    """Interpreter that runs the user's code."""
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Rule number to the settings that were given for it."""


@dataclass(frozen=True)
class TargetConfig:
    """One named target."""

    name: str
    """What stands on the command line for it."""
    spec: str
    """``file.py:name``; a file is relative to the working directory, or absolute."""
    kwargs: tuple[str, ...] = ()
    """``key=value``, values as Python literals."""
    loader_key: str | None = None
    """Which loader of a dict or data module."""
    allow_script: bool = False
    settings: Settings = field(default_factory=Settings)
    """The top of the file and the target's own keys, merged."""


@dataclass(frozen=True)
class Config:
    """One config file, or none."""

    path: Path | None = None
    """Null where no file was found."""
    defaults: Settings = field(default_factory=Settings)
    """What holds for a target that has no name in the file."""
    targets: tuple[TargetConfig, ...] = ()

    def named(self, name: str) -> TargetConfig | None:
        """Return the target of that name, if there is one."""
        return next((target for target in self.targets if target.name == name), None)
