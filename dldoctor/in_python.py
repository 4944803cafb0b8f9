"""A checkup of a live loader, or of a named target of the config file, from a program or a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from dldoctor import rules
from dldoctor.config import TargetConfig
from dldoctor.diagnose import diagnose, diagnose_object
from dldoctor.errors import ConfigError, InternalError, UnhealthyError, nearest
from dldoctor.finding import FailOn, Level
from dldoctor.intent import Intent, Limits, LoaderOptions, TargetOptions
from dldoctor.report import Report
from dldoctor.request import Request

SHORT = {"time_budget": "time_budget_s", "timeout": "timeout_s"}
"""Options of the command line whose field says its unit as well."""


def checkup(
    target: Any,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    name: str = "",
    **options: Any,
) -> Report:
    """Return the report of a checkup of a live loader or dataset, judged in a fork of this process.

    `options` are those of the command line with underscores: ``role="train"``, ``task="sft"``,
    ``pad_id=0``, ``batches=20``, ``time_budget=30``, ``num_workers=2``, ``budgets={"padding": 0.3}``.
    What needs a fresh interpreter is not applicable to a live object. `name` stands for it in the report.

    Raises:
        ConfigError: an option or a rule is not known.
        TargetError: the object is no loader and no dataset.
    """
    select, ignore = _listed(select), _listed(ignore)
    rules.validate(select=select, ignore=ignore)
    parts = _sorted(options)
    spec = TargetOptions(
        f"<{name or type(target).__name__}>".replace(":", "-"), loader=LoaderOptions(**parts[LoaderOptions])
    )
    request = Request(
        command="checkup",
        target=spec,
        intent=Intent(**parts[Intent]),
        limits=Limits(**parts[Limits]),
        select=select,
        ignore=ignore,
    )
    return diagnose_object(target, request)


def checkup_named(
    target: TargetConfig, *, select: Sequence[str] = (), ignore: Sequence[str] = (), **options: Any
) -> Report:
    """Return the report of a checkup of a target of the config file, as the command line makes it.

    `options` go before what the file says of it.
    """
    select, ignore = _listed(select), _listed(ignore)
    said = target.settings
    rules.validate(select=select or said.select, ignore=ignore or said.ignore)
    parts = _sorted(options)
    request = Request(
        command="checkup",
        target=TargetOptions(
            target.spec,
            kwargs=target.kwargs,
            loader_key=target.loader_key,
            loader=replace(said.loader, **parts[LoaderOptions]),
            allow_script=target.allow_script,
        ),
        intent=replace(said.intent, **parts[Intent]),
        limits=replace(said.limits, **parts[Limits]),
        python=said.python,
        select=select or said.select,
        ignore=ignore or said.ignore,
        settings=said.rules,
    )
    return replace(diagnose(request), fail_on=said.fail_on)


def assert_healthy(target: Any, *, fail_on: FailOn = "error", **options: Any) -> Report:
    """Return the report of a checkup that found nothing at the level that fails, or worse.

    Raises:
        UnhealthyError: it found something; its text is the report as the terminal shows it. It is an
            `AssertionError`.
        InternalError: dldoctor itself failed in a part of it.
    """
    return _healthy(checkup(target, **options), fail_on)


def assert_named_healthy(target: TargetConfig, *, fail_on: FailOn | None = None, **options: Any) -> Report:
    """Do the same for a target of the config file, which may say which level fails."""
    return _healthy(checkup_named(target, **options), fail_on or target.settings.fail_on)


def _healthy(report: Report, fail_on: FailOn) -> Report:
    from dldoctor.render.terminal import plain

    if fail_on not in (*(level.value for level in Level), "never"):
        raise ConfigError(f"no level `{fail_on}`{nearest(fail_on, [level.value for level in Level])}")
    if report.faults:
        raise InternalError("\n".join(one.traceback for one in report.faults))
    worst = report.summary.worst
    if fail_on != "never" and worst is not None and worst.rank <= Level(fail_on).rank:
        raise UnhealthyError(f"the loader is not healthy\n\n{plain(report)}")
    return report


def _listed(selectors: Sequence[str]) -> tuple[str, ...]:
    """Return rules as the command line takes them: one text with commas, or several texts."""
    texts = (selectors,) if isinstance(selectors, str) else selectors
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def _sorted(options: Mapping[str, Any]) -> dict[type, dict[str, Any]]:
    """Return the options by the type that has a field of their name."""
    homes = {one.name: owner for owner in (Intent, Limits, LoaderOptions) for one in fields(owner)}
    parts: dict[type, dict[str, Any]] = {Intent: {}, Limits: {}, LoaderOptions: {}}
    for option, value in options.items():
        field = SHORT.get(option, option)
        if field not in homes:
            raise ConfigError(f"no option `{option}`{nearest(option, [*homes, *SHORT])}")
        parts[homes[field]][field] = tuple(value) if isinstance(value, list) else value
    return parts
