"""What is to be run: the config file, overlaid with the command line, one job a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dldoctor import rules
from dldoctor.cli.options import RunOptions
from dldoctor.config import Config, Settings, TargetConfig, load
from dldoctor.errors import ConfigError, nearest
from dldoctor.finding import FailOn
from dldoctor.intent import HYDRA, TargetOptions
from dldoctor.request import Request


@dataclass(frozen=True)
class Job:
    """One target to run."""

    name: str
    """Its name in the config file, or a short form of the target; names its report."""
    request: Request
    fail_on: FailOn
    baseline: Path | None = None
    """An earlier report, or a folder or pattern of them: only what is new counts."""

    @property
    def earlier(self) -> Path | None:
        """The earlier report of this target."""
        if self.baseline is None:
            return None
        place = self.baseline / f"{self.name}.json" if self.baseline.is_dir() else self.baseline
        return Path(str(place).replace("{target}", self.name))

    def each(self, loaders: tuple[str, ...]) -> list[Job]:
        """Return a job for each loader of a target that holds several."""
        return [
            replace(
                self,
                name=f"{self.name}-{loader}",
                request=replace(self.request, target=replace(self.request.target, loader_key=loader)),
            )
            for loader in loaders
        ]


def plan(command: str, target: str | None, options: RunOptions) -> tuple[Job, ...]:
    """Return one job for the given target, or one for each target of the config file.

    Raises:
        ConfigError: the config file or a rule name is wrong, or no target is meant.
    """
    config = load(options.rules.config, folder=Path.cwd())
    return tuple(_job(command, entry, options) for entry in _chosen(config, target))


def _chosen(config: Config, target: str | None) -> tuple[TargetConfig, ...]:
    """Return what a TARGET on the command line means."""
    names = tuple(entry.name for entry in config.targets)
    if target is None:
        if not names:
            where = f"{config.path} names none" if config.path else "there is no config file that names one"
            raise ConfigError(f"no target was given, and {where}")
        return config.targets
    if named := config.named(target):
        return (named,)
    if not _is_spec(target):
        known = f"; {config.path} names {', '.join(names)}" if names else ""
        raise ConfigError(
            f"no file and no named target `{target}`{nearest(target, names) or known}"
            + ("" if names else "; a target is written file.py:name or package.module:name")
        )
    return (TargetConfig(name=_short(target), spec=target, settings=config.defaults),)


def _is_spec(target: str) -> bool:
    """Tell a target that is written out from a name: ``a.py``, ``a.py:b``, ``a.b:c``, ``dir/a``."""
    return ":" in target or "/" in target or target.endswith((".py", ".ipynb")) or Path(target).exists()


def _short(target: str) -> str:
    """Return a name for the report of a target that has none: ``data.py:make`` is ``data-make``."""
    if target.startswith(HYDRA):
        place, _, node = target.removeprefix(HYDRA).partition("@")
        return f"{Path(place).stem}-{node}" if node else Path(place).stem
    place, _, name = target.rpartition(":")
    stem = Path(place or name).stem
    return f"{stem}-{name}" if place else stem


def _job(command: str, entry: TargetConfig, options: RunOptions) -> Job:
    settings = _overlay(entry.settings, options)
    target = TargetOptions(
        spec=entry.spec,
        kwargs=_keywords(entry.kwargs, options.target.kwargs or []),
        loader_key=options.target.loader or entry.loader_key,
        loader=settings.loader,
        allow_script=options.target.allow_script or entry.allow_script,
    )
    request = Request(
        command=command,
        target=target,
        intent=settings.intent,
        limits=settings.limits,
        python=settings.python,
        select=settings.select,
        ignore=settings.ignore,
        settings=settings.rules,
    )
    return Job(entry.name, request, settings.fail_on, options.rules.baseline)


def _overlay(settings: Settings, options: RunOptions) -> Settings:
    """Return the settings of the config file with those of the command line laid over them."""
    given = options.rules.given()
    rules.validate(select=given.get("select", settings.select), ignore=given.get("ignore", settings.ignore))
    if options.target.python:
        given["python"] = options.target.python
    intent = settings.intent
    return replace(
        settings,
        intent=replace(
            intent,
            **options.intent.declared(),
            fields=_merged(intent.fields, options.intent.field),
            budgets=_merged(intent.budgets, options.intent.budget),
        ),
        limits=replace(settings.limits, **options.limits.given()),
        loader=replace(settings.loader, **options.target.loader_settings()),
        **given,
    )


def _merged(base: Mapping[str, Any], pairs: list[Any] | None) -> dict[str, Any]:
    return {**base, **dict(pairs or ())}


def _keywords(base: tuple[str, ...], given: list[str]) -> tuple[str, ...]:
    """Return ``key=value`` arguments, the later one winning where a key is given twice."""
    by_key = {entry.partition("=")[0]: entry for entry in (*base, *given)}
    return tuple(by_key.values())
