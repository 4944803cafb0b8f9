"""Checks of other packages, by the entry point group ``dldoctor.checks``.

An entry point names a subclass of `Check`, or a tuple of them. What cannot be used is remembered
with its reason and stands in every report as not judged: another package must not break a run, nor
be left out in silence. Nothing is loaded before something is to be judged or listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from dldoctor.checks import CHECKS, Case, Check
from dldoctor.evidence import Evidence
from dldoctor.finding import Finding, Judgement, Level, Remark, Unjudged

GROUP: Final = "dldoctor.checks"
NUMBER: Final = re.compile(r"(?!DL\d)[A-Z]{2,12}\d{3}")
"""Rule numbers of others: letters of their own, since ``DL`` and a number is always one of ours."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


@dataclass(frozen=True)
class ThirdParty:
    """What the installed packages bring."""

    checks: tuple[Check, ...] = ()
    """By rule number."""
    broken: tuple[Judgement, ...] = ()
    """What could not be used, as reports say it."""


def every() -> tuple[Check, ...]:
    """Return all checks: ours, then those of other packages."""
    return (*CHECKS, *installed().checks)


def results_of(check: Check, case: Case) -> tuple[Finding | Unjudged | Remark, ...]:
    """Let a check judge; one of another package that raises, or says what is no finding, did not judge."""
    if any(check.rule == one.rule for one in CHECKS):
        return tuple(check.judge(case))
    try:
        return tuple(_sound(check, result) for result in check.judge(case))
    except Exception as error:  # noqa: BLE001 - the other package's code
        return (Unjudged("skipped", f"this check of another package failed: {_said(error)}"),)


@cache
def installed() -> ThirdParty:
    """Return the checks of all installed packages, loaded once."""
    return load(entry_points(group=GROUP))


def load(found: Iterable[EntryPoint]) -> ThirdParty:
    """Return the checks that entry points name; a check that cannot be used spoils no other."""
    checks: list[Check] = []
    broken: list[Judgement] = []
    for point in sorted(found, key=lambda point: (_package(point), point.name)):
        try:
            named = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the other package's code
            broken.append(_broken(point, point.name, f"cannot be loaded: {_said(error)}"))
            continue
        for kind in named if isinstance(named, tuple | list) else (named,):
            name = getattr(kind, "name", None)
            shown = name if isinstance(name, str) else point.name
            try:
                checks.append(_made(kind, (*CHECKS, *checks)))
            except Exception as error:  # noqa: BLE001 - the other package's code
                broken.append(_broken(point, shown, f"cannot be used: {_said(error)}"))
    return ThirdParty(tuple(sorted(checks, key=lambda check: check.rule)), tuple(broken))


def _made(kind: Any, known: Iterable[Check]) -> Check:
    """Return an instance of a check class.

    Raises:
        TypeError: it is no check, or lacks what every check has.
    """
    if not (isinstance(kind, type) and issubclass(kind, Check)):
        raise TypeError(f"{kind!r} is no subclass of dldoctor.checks.Check")
    for name, pattern, example in (("rule", NUMBER, "ACME101"), ("name", _NAME, "field-too-red")):
        value = getattr(kind, name, None)
        if not (isinstance(value, str) and pattern.fullmatch(value)):
            raise TypeError(f"its `{name}` is {value!r}; write it as `{example}`")
    if not isinstance(getattr(kind, "level", None), Level):
        raise TypeError("its `level` is no Level")
    if unknown := set(kind.needs) - set(Evidence.__dataclass_fields__):
        raise TypeError(f"it needs {', '.join(sorted(unknown))}, which is no branch of the evidence")
    check = kind()
    for other in known:
        if check.rule == other.rule or check.name == other.name:
            raise TypeError(f"{other.rule} {other.name} is there already")
    return check


def _sound(check: Check, result: Any) -> Finding | Unjudged | Remark:
    """Return what a check said as it will stand in the report.

    Raises:
        TypeError: it is nothing that a report can hold, or claims more than the rule may.
    """
    import msgspec

    kind: Any = type(result) if isinstance(result, (Unjudged, Remark)) else Finding
    try:
        sound: Finding | Unjudged | Remark = msgspec.convert(msgspec.to_builtins(result), kind)
    except (msgspec.ValidationError, TypeError) as error:
        raise TypeError(f"it yielded what no report can hold: {error}") from error
    if isinstance(sound, Finding) and (sound.rule, sound.name) != (check.rule, check.name):
        raise TypeError(f"it yielded a finding of {sound.rule} {sound.name}")
    if isinstance(sound, Finding) and sound.level.rank < check.level.rank:
        raise TypeError(f"its level is {check.level.value}, but it yielded {sound.level.value}")
    return sound


def _broken(point: EntryPoint, name: str, reason: str) -> Judgement:
    return Judgement(point.name, name, "skipped", f"the check of the package `{_package(point)}` {reason}")


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "?"


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())[:200]
    return text if type(error) is TypeError and text else f"{type(error).__name__}: {text}".rstrip(": ")
