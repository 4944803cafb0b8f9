"""Turn the text of one option into its value, or say in one line what is wrong with it."""

from __future__ import annotations

import typer

from dldoctor.errors import nearest
from dldoctor.intent import BUDGETS, FIELD_ROLES
from dldoctor.sizes import parse_bytes


def size(text: str) -> int:
    """Return the bytes of ``64MB``."""
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def indices(text: str) -> tuple[int, ...]:
    """Return the numbers of ``3,17``."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a list of indices such as 3,17") from error


def keyword(text: str) -> str:
    """Return ``key=value`` as it is, if it has that form."""
    name, equals, _ = text.partition("=")
    if not equals or not name.isidentifier():
        raise typer.BadParameter(f"{text!r} is not of the form key=value")
    return text


def field_role(text: str) -> tuple[str, str]:
    """Return role and path of ``token_ids=input_ids``."""
    role, equals, path = text.partition("=")
    if not equals or not path:
        raise typer.BadParameter(f"{text!r} is not of the form ROLE=PATH")
    if role not in FIELD_ROLES:
        raise typer.BadParameter(f"no field role `{role}`{nearest(role, FIELD_ROLES)}")
    return role, path


def budget(text: str) -> tuple[str, float]:
    """Return name and value of ``padding=0.3``."""
    name, _, value = text.partition("=")
    if name not in BUDGETS:
        raise typer.BadParameter(f"no budget `{name}`{nearest(name, tuple(BUDGETS))}")
    try:
        return name, float(value)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not of the form NAME=NUMBER") from error
