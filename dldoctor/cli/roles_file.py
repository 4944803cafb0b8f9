"""The file that keeps how fields were understood: path to role, to read and to correct."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from dldoctor.errors import ConfigError
from dldoctor.intent import FIELD_ROLES, Inferred

HEAD = (
    "# How dldoctor understood the fields of the batches. Correct what is wrong, and give the file back\n"
    "# with `--roles`: it is then compared with the values, and the report says where they differ.\n"
)


def written(roles: Mapping[str, Inferred]) -> str:
    """Return the file's text."""
    lines = [HEAD, "[roles]"]
    for path, found in roles.items():
        why = " ".join(found.why.split())
        # JSON strings are TOML strings too, but for characters that no path of a field has.
        lines.append(f"{json.dumps(path)} = {json.dumps(found.role)}  # {found.confidence:.2f}: {why}")
    return "\n".join(lines) + "\n"


def read_roles(path: Path) -> dict[str, str]:
    """Return path to role.

    Raises:
        ConfigError: the file cannot be read, or names a role that there is not.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("roles", {})
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    for field, role in table.items():
        if role not in FIELD_ROLES:
            from dldoctor.roles.unknown import unknown_role

            raise ConfigError(f"{path}: `{field}`: {unknown_role(str(role), '')}")
    return {str(field): str(role) for field, role in table.items()}
