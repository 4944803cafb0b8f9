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
    # With dots, and a sign in front, where a configuration of Hydra's is overridden.
    if not equals or not all(part.isidentifier() for part in name.lstrip("+").split(".")):
        raise typer.BadParameter(f"{text!r} is not of the form key=value")
    return text


def field_role(text: str) -> tuple[str, str]:
    """Return role and path of ``token_ids=input_ids``."""
    role, equals, path = text.partition("=")
    if not equals or not path:
        raise typer.BadParameter(f"{text!r} is not of the form ROLE=PATH")
    if role not in FIELD_ROLES:
        from dldoctor.roles.unknown import unknown_role

        raise typer.BadParameter(unknown_role(role, path))
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


VARIED = ("batch_size", "pin_memory", "persistent_workers", "in_order", "start_method", "sharing_strategy")
"""Loader settings that `sweep --vary` can try."""


def varied(texts: list[str]) -> dict[str, list[object]]:
    """Return the values of ``batch_size=8,16``, by name."""
    found: dict[str, list[object]] = {}
    for text in texts:
        name, equals, values = text.replace("-", "_").partition("=")
        if not equals or not values:
            raise typer.BadParameter(f"{text!r} is not of the form NAME=A,B")
        if name not in VARIED:
            raise typer.BadParameter(f"no setting `{name}` to vary{nearest(name, VARIED)}")
        words = {"true": True, "false": False}
        found[name] = [
            words[one.lower()] if one.lower() in words else int(one) if one.isdigit() else one
            for one in values.split(",")
        ]
    return found
