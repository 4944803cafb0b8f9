"""What a config file says: ``[tool.dldoctor]`` in pyproject.toml, or dldoctor.toml, to `Config`.

Keys are spelled like the options of the command line, without the dashes in front. Keys at the top
hold for every target; a target's own come after them, and the command line comes last.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from dldoctor.errors import ConfigError, nearest
from dldoctor.finding import FailOn
from dldoctor.intent import BUDGETS, FIELD_ROLES, Intent, Limits, LoaderOptions
from dldoctor.rule_settings import merged, read
from dldoctor.sizes import parse_bytes


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


LIMIT_KEYS = {
    "batches": "batches", "samples": "samples", "ids": "ids", "epochs": "epochs", "time-budget": "time_budget_s", "seed": "seed",
    "timeout": "timeout_s", "memory-limit": "memory_limit_bytes", "shm-bytes": "shm_bytes", "ranks": "ranks",
}  # fmt: skip
"""Option names of `Limits`, which says the units in its own."""
INTENT_KEYS = {
    key.replace("_", "-"): key for key in Intent.__dataclass_fields__ if key not in ("fields", "budgets")
}
LOADER_KEYS = {key.replace("_", "-"): key for key in LoaderOptions.__dataclass_fields__}
RUN_KEYS = {"select": "select", "ignore": "ignore", "fail-on": "fail_on", "python": "python"}
SHARED_KEYS = (*INTENT_KEYS, *LIMIT_KEYS, *LOADER_KEYS, *RUN_KEYS, "fields", "budgets", "rules")
TARGET_KEYS = ("target", "kwargs", "loader", "allow-script", *SHARED_KEYS)


def find(folder: Path) -> Path | None:
    """Return the config file nearest to a folder, upward; dldoctor.toml goes before pyproject.toml."""
    for place in (folder, *folder.parents):
        if (own := place / "dldoctor.toml").is_file():
            return own
        if (project := place / "pyproject.toml").is_file() and _table(project) is not None:
            return project
    return None


def load(path: Path | None = None, *, folder: Path) -> Config:
    """Read the given config file, or else the nearest one above a folder.

    Raises:
        ConfigError: it cannot be read, or holds an unknown key or an impossible value.
    """
    path = path or find(folder)
    if path is None:
        return Config()
    table = _table(path)
    if table is None:
        raise ConfigError(f"{path} has no [tool.dldoctor] table")
    return parse(table, path, folder)


def parse(table: Mapping[str, Any], path: Path, folder: Path) -> Config:
    """Return the config that a table holds; `path` is named in errors and anchors relative paths."""
    reader = _Reader(path, folder)
    shared = {key: value for key, value in table.items() if key != "targets"}
    reader.known(shared, (*SHARED_KEYS, "targets"), "")
    targets = reader.table(table.get("targets", {}), "targets")
    return Config(
        path=path,
        defaults=reader.settings(shared, ""),
        targets=tuple(reader.target(name, own, shared) for name, own in targets.items()),
    )


def _table(path: Path) -> Mapping[str, Any] | None:
    """Return the table of ours in a file, or None where there is none."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    tool = content.get("tool")
    own = tool.get("dldoctor") if isinstance(tool, dict) else None
    if own is None and path.name == "dldoctor.toml":
        own = content
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{path}: `tool.dldoctor` must be a table")
    return own


@dataclass(frozen=True)
class _Reader:
    """Turns the tables of one file into types, and names the file in every error."""

    path: Path
    folder: Path

    def fail(self, place: str, problem: str) -> ConfigError:
        return ConfigError(f"{self.path}: {f'{place}: ' if place else ''}{problem}")

    def known(self, table: Mapping[str, Any], keys: tuple[str, ...], place: str) -> None:
        for key in table:
            if key not in keys:
                raise self.fail(place, f"unknown key `{key}`{nearest(key, keys)}")

    def table(self, value: Any, place: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(place, f"must be a table, not {value!r}")
        return value

    def target(self, name: str, own: Any, shared: Mapping[str, Any]) -> TargetConfig:
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
        where = f"{place}.{key}" if place else key
        entries = self.table(table.get(key, {}), where)
        self.known(entries, known, where)
        return {name: self.value(kind, value, f"{where}.{name}") for name, value in entries.items()}

    def value(self, kind: Any, value: Any, place: str) -> Any:
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
        try:
            return parse_bytes(text)
        except ValueError as error:
            raise self.fail(place, str(error)) from error

    def kwargs(self, value: Any, place: str) -> tuple[str, ...]:
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
