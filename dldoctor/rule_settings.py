"""Settings of rules, as a config file gives them: known names and values of their types."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, get_type_hints

from dldoctor.checks import Check
from dldoctor.errors import ConfigError, nearest
from dldoctor.rules import find

RuleSettings = Mapping[str, Mapping[str, Any]]
"""Rule number to the settings that were given for it."""


def read(table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return settings by rule number; a rule may be given by its number or its name.

    Raises:
        ConfigError: a rule, a setting, or the type of a value is not known; it begins with the place.
    """
    settings: dict[str, dict[str, Any]] = {}
    for word, given in table.items():
        try:
            check = find(word)
        except ConfigError as error:
            raise ConfigError(f"rules.{word}: {error}") from error
        if not isinstance(given, dict):
            raise ConfigError(f"rules.{word}: must be a table of settings, not {given!r}")
        if check.rule in settings:
            raise ConfigError(f"rules.{word}: {check.rule} {check.name} is there twice")
        settings[check.rule] = {name: _value(check, word, name, value) for name, value in given.items()}
    return settings


def merged(base: RuleSettings, over: RuleSettings) -> dict[str, dict[str, Any]]:
    """Return the settings of both, those of `over` winning."""
    return {rule: {**base.get(rule, {}), **over.get(rule, {})} for rule in (*base, *over)}


def configured(check: Check, settings: RuleSettings) -> Check:
    """Return the check with the settings that were given for it."""
    return replace(check, **settings.get(check.rule, {}))


def types_of(owner: type[Check]) -> dict[str, Any]:
    """Return the type of each setting of a rule."""
    hints = get_type_hints(owner)
    return {item.name: hints[item.name] for item in fields(owner)}


def _value(check: Check, word: str, name: str, value: Any) -> Any:
    import msgspec

    known = types_of(type(check))
    place = f"rules.{word}.{name}"
    if not known:
        raise ConfigError(f"{place}: {check.name} has no settings")
    if name not in known:
        guess = nearest(name, tuple(known)) or f"; it has {', '.join(known)}"
        raise ConfigError(f"rules.{word}: unknown setting `{name}`{guess}")
    try:
        converted = msgspec.convert(value, known[name])
    except msgspec.ValidationError as error:
        text = str(error).replace("Expected", "expected").replace("`", "")
        raise ConfigError(f"{place}: {text}: {value!r}") from error
    if isinstance(converted, float) and not math.isfinite(converted):
        # Nothing is above, or below, a value that is no number: the rule would be off without saying so.
        raise ConfigError(f"{place}: expected a number, got {value!r}; `ignore` turns a rule off")
    return converted
