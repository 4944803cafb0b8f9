"""From the tables of a config file to settings, each value of its declared type."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from dldoctor.config.keys import INTENT_KEYS, LIMIT_KEYS, LOADER_KEYS, RUN_KEYS, TARGET_KEYS
from dldoctor.config.settings import Settings, TargetConfig
from dldoctor.errors import ConfigError, nearest
from dldoctor.intent import BUDGETS, FIELD_ROLES, HYDRA, Intent, Limits, LoaderOptions
from dldoctor.rule_settings import merged, read
from dldoctor.sizes import parse_bytes


@dataclass(frozen=True)
class Reader:
    """Turns the tables of one file into types, and names the file in every error."""

    path: Path
    folder: Path

    def fail(self, place: str, problem: str) -> ConfigError:
        """Return the error that names the file and the place in it."""
        return ConfigError(f"{self.path}: {f'{place}: ' if place else ''}{problem}")

    def known(self, table: Mapping[str, Any], keys: tuple[str, ...], place: str) -> None:
        """Raise where a table holds a key that is not known."""
        for key in table:
            if key not in keys:
                raise self.fail(place, f"unknown key `{key}`{nearest(key, keys)}")

    def table(self, value: Any, place: str) -> Mapping[str, Any]:
        """Return the value if it is a table."""
        if not isinstance(value, dict):
            raise self.fail(place, f"must be a table, not {value!r}")
        return value

    def target(self, name: str, own: Any, shared: Mapping[str, Any]) -> TargetConfig:
        """Return one named target; what its table does not say, the top of the file does."""
        place = f"targets.{name}"
        own = self.table(own, place)
        self.known(own, TARGET_KEYS, place)
        if "target" not in own:
            raise self.fail(place, 'has no `target = "file.py:name"`')
        whole = {**shared, **own}
        for key in ("fields", "budgets"):
            if key in shared and key in own:
                whole[key] = {**self.table(shared[key], key), **self.table(own[key], f"{place}.{key}")}
        return TargetConfig(
            name=name,
            spec=self.anchored(self.value(str, own["target"], f"{place}.target")),
            kwargs=self.kwargs(own.get("kwargs", {}), f"{place}.kwargs"),
            loader_key=self.value(str | None, own.get("loader"), f"{place}.loader"),
            allow_script=self.value(bool, own.get("allow-script", False), f"{place}.allow-script"),
            settings=replace(
                self.settings(whole, place),
                rules=merged(self.rules(shared, ""), self.rules(own, place)),
            ),
        )

    def settings(self, table: Mapping[str, Any], place: str) -> Settings:
        """Return what a table says that holds for a run."""
        loader = self.fields_of(LoaderOptions, LOADER_KEYS, table, place)
        for key in ("collate", "sampler"):
            if loader.get(key):
                loader[key] = self.anchored(loader[key])
        intent = self.fields_of(Intent, INTENT_KEYS, table, place)
        if intent.get("set_epoch"):
            intent["set_epoch"] = self.anchored(intent["set_epoch"])
        run = self.fields_of(Settings, RUN_KEYS, table, place)
        if run.get("python"):
            run["python"] = self.anchored(run["python"])
        return Settings(
            intent=Intent(
                **intent,
                fields=self.pairs(str, FIELD_ROLES, table, "fields", place),
                budgets=self.pairs(float, tuple(BUDGETS), table, "budgets", place),
            ),
            limits=Limits(**self.fields_of(Limits, LIMIT_KEYS, table, place)),
            loader=LoaderOptions(**loader),
            **run,
            rules=self.rules(table, place),
        )

    def rules(self, table: Mapping[str, Any], place: str) -> dict[str, dict[str, Any]]:
        """Return the settings of rules in a table; their errors say where in it."""
        given = self.table(table.get("rules", {}), f"{place}.rules" if place else "rules")
        try:
            return read(given)
        except ConfigError as error:
            raise ConfigError(f"{self.path}: {f'{place}.' if place else ''}{error}") from error

    def fields_of(
        self, owner: type, keys: Mapping[str, str], table: Mapping[str, Any], place: str
    ) -> dict[str, Any]:
        """Return the given fields of a dataclass by field name, each of its declared type."""
        given = {}
        for key, name in keys.items():
            if key in table:
                where = f"{place}.{key}" if place else key
                value = table[key]
                if name.endswith("_bytes") and isinstance(value, str):
                    value = self.size(value, where)
                given[name] = self.value(_hints(owner)[name], value, where)
        return given

    def pairs(
        self, kind: type, known: tuple[str, ...], table: Mapping[str, Any], key: str, place: str
    ) -> dict[str, Any]:
        """Return a table of names that are known, each with a value of one type."""
        where = f"{place}.{key}" if place else key
        entries = self.table(table.get(key, {}), where)
        self.known(entries, known, where)
        return {name: self.value(kind, value, f"{where}.{name}") for name, value in entries.items()}

    def value(self, kind: Any, value: Any, place: str) -> Any:
        """Return a value as its declared type."""
        import msgspec

        choices = [arg for part in (kind, *get_args(kind)) for arg in get_args(part) if isinstance(arg, str)]
        if choices and value not in choices:
            guess = nearest(str(value), choices)
            raise self.fail(place, f"{value!r} is none of {', '.join(choices)}{guess}")
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise self.fail(place, f"{_plain(str(error))}: {value!r}") from error

    def size(self, text: str, place: str) -> int:
        """Return the bytes of ``64MB``."""
        try:
            return parse_bytes(text)
        except ValueError as error:
            raise self.fail(place, str(error)) from error

    def kwargs(self, value: Any, place: str) -> tuple[str, ...]:
        """Return arguments as ``key=value``, each value a Python literal."""
        entries = []
        for key, argument in self.table(value, place).items():
            try:
                literal = ast.literal_eval(repr(argument))
            except ValueError:
                literal = None
            if literal != argument:
                raise self.fail(f"{place}.{key}", f"{argument} cannot be written as a Python literal")
            entries.append(f"{key}={argument!r}")
        return tuple(entries)

    def anchored(self, text: str) -> str:
        """Return a path that is relative to the file's folder as seen from the working directory."""
        if text.startswith(HYDRA):
            return HYDRA + self.anchored(text.removeprefix(HYDRA))
        place = self.path.parent / text
        is_path = "/" in text or text.partition(":")[0].endswith((".py", ".ipynb"))
        if not is_path or self.path.parent == self.folder:
            return text
        return str(place)


@cache
def _hints(owner: type) -> dict[str, Any]:
    return get_type_hints(owner)


def _plain(problem: str) -> str:
    """Return a conversion error in the words of a TOML file."""
    return problem.replace("Expected", "expected").replace(" | null", "").replace("`", "")
