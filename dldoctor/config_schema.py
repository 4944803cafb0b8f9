"""The JSON Schema of a config file, for editors: made from the types that read the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_type_hints

from dldoctor.config import Settings
from dldoctor.config.keys import INTENT_KEYS, LIMIT_KEYS, LOADER_KEYS, RUN_KEYS, SHARED_KEYS, TARGET_KEYS
from dldoctor.intent import BUDGETS, FIELD_ROLES, Intent, Limits, LoaderOptions
from dldoctor.rule_settings import types_of
from dldoctor.rules import field_meanings, settings
from dldoctor.third_party import every

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TARGET: Final[dict[str, dict[str, Any]]] = {
    "target": {
        "type": "string",
        "description": "file.py:name or notebook.ipynb:name, relative to this file, package.module:name, or "
        "hydra:DIR/NAME@node",
    },
    "kwargs": {"type": "object", "description": "Arguments for a callable target."},
    "loader": {"type": "string", "description": "Which loader of a dict or data module."},
    "allow-script": {"type": "boolean", "description": "Import the file even if that starts training."},
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of dldoctor.toml, which is that of ``[tool.dldoctor]`` too."""
    known = _shared()
    shared = {key: known[key] for key in SHARED_KEYS}
    target = {key: {**_TARGET, **known}[key] for key in TARGET_KEYS}
    targets = {
        "type": "object",
        "description": "Named targets: `dldoctor checkup NAME`.",
        "additionalProperties": _closed(target, required=["target"]),
    }
    return {
        "$schema": DIALECT,
        "title": "dldoctor",
        "description": "dldoctor.toml, or [tool.dldoctor] in pyproject.toml.",
        **_closed({**shared, "targets": targets}),
        "$defs": {"rules": _closed(_rules())},
    }


def _shared() -> dict[str, dict[str, Any]]:
    """Return the schema of each key that holds for all targets or for one."""
    return {
        **_fields(Intent, INTENT_KEYS),
        **_fields(Limits, LIMIT_KEYS),
        **_fields(LoaderOptions, LOADER_KEYS),
        **_fields(Settings, RUN_KEYS),
        "fields": _closed({role: {"type": "string"} for role in FIELD_ROLES}),
        "budgets": _closed({name: {"type": "number", "description": text} for name, text in BUDGETS.items()}),
        "rules": {"$ref": "#/$defs/rules"},
    }


def _fields(owner: type, keys: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    hints, meanings = get_type_hints(owner), field_meanings(owner)
    found = {}
    for key, name in keys.items():
        one = _of_type(hints[name])
        if name.endswith("_bytes"):
            one = {"anyOf": [{"type": "integer"}, {"type": "string", "description": "64MB, 2GiB"}]}
        found[key] = one | ({"description": meanings[name]} if name in meanings else {})
    return found


def _rules() -> dict[str, dict[str, Any]]:
    """Return the settings of each rule that has some, under its number and its name."""
    found = {}
    for check in every():
        types = types_of(type(check))
        own = {
            name: {**_of_type(types[name]), "default": value, "description": meaning}
            for name, value, meaning in settings(check)
        }
        if own:
            found[check.rule] = found[check.name] = _closed(own)
    return found


def _of_type(kind: Any) -> dict[str, Any]:
    """Return the schema of a value; TOML has no null, so that a key is left out instead."""
    import msgspec

    made = msgspec.json.schema(kind)
    choices = made.get("anyOf", [made])
    given = [choice for choice in choices if choice.get("type") != "null"]
    one = dict(given[0]) if len(given) == 1 else {"anyOf": given}
    if "enum" in one:
        one["enum"] = [value for value in one["enum"] if value is not None]
    return one


def _closed(properties: dict[str, Any], *, required: list[str] | None = None) -> dict[str, Any]:
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return made | ({"required": required} if required else {})
