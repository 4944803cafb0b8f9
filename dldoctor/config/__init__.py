"""What a config file says: ``[tool.dldoctor]`` in pyproject.toml, or dldoctor.toml, to `Config`.

Keys are spelled like the options of the command line, without the dashes in front. Keys at the top
hold for every target; a target's own come after them, and the command line comes last.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dldoctor.config.keys import SHARED_KEYS
from dldoctor.config.reader import Reader
from dldoctor.config.settings import Config, Settings, TargetConfig
from dldoctor.errors import ConfigError

__all__ = ["Config", "Settings", "TargetConfig", "find", "load", "parse"]


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
    reader = Reader(path, folder)
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
