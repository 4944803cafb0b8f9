"""The catalogue of rules: look one up, choose some, and write the page of one."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from dataclasses import MISSING, fields
from itertools import pairwise

from dldoctor.checks import Check
from dldoctor.errors import ConfigError, nearest
from dldoctor.third_party import every

NUMBER = re.compile(r"DL\d{0,3}")
"""A rule number, or a prefix of some."""
PREFIX = re.compile(r"[A-Z]{2,12}\d{0,3}")
"""The same of another package, whose letters stand before the number."""


def find(text: str) -> Check:
    """Return the rule of that number or name.

    Raises:
        ConfigError: there is none; the nearest is named.
    """
    wanted = text.strip().lower()
    for check in every():
        if wanted in (check.rule.lower(), check.name):
            return check
    known = [word for check in every() for word in (check.rule, check.name)]
    like = text.upper() if NUMBER.fullmatch(text.upper()) else text
    raise ConfigError(f"no rule `{text}`{nearest(like, known) or '; `dldoctor rules` lists them'}")


def matches(check: Check, selector: str) -> bool:
    """Tell whether a selector means a rule: its number, its name, or a prefix of its number."""
    if NUMBER.fullmatch(selector.upper()):
        return check.rule.startswith(selector.upper())
    upper = selector.upper()
    if PREFIX.fullmatch(upper) and check.rule.rstrip("0123456789") == upper.rstrip("0123456789"):
        return check.rule.startswith(upper)
    return check.name == selector.lower()


def chosen(select: Iterable[str], ignore: Iterable[str]) -> tuple[Check, ...]:
    """Return the checks that are selected (all, if nothing is) and not ignored, in order."""
    select, ignore = tuple(select), tuple(ignore)
    return tuple(
        check
        for check in every()
        if (not select or any(matches(check, one) for one in select))
        and not any(matches(check, one) for one in ignore)
    )


def validate(*, select: Iterable[str], ignore: Iterable[str]) -> None:
    """Refuse selectors that mean nothing.

    A number is accepted in `ignore` though no such rule is known: a config file is shared by people
    with different versions, and ignoring what is not judged does no harm.

    Raises:
        ConfigError: a selector means no rule.
    """
    for selector in select:
        if not any(matches(check, selector) for check in every()):
            find(selector)
    for selector in ignore:
        if not NUMBER.fullmatch(selector.upper()) and not any(matches(check, selector) for check in every()):
            find(selector)


def summary(check: Check) -> str:
    """Return the first sentence of a rule's page."""
    return _documentation(check).partition("\n\n")[0].replace("\n", " ")


def page(check: Check) -> str:
    """Return the page of a rule, as Markdown."""
    first, _, rest = _documentation(check).partition("\n\n")
    parts = [
        f"# {check.rule} {check.name}",
        first.replace("\n", " "),
        f"Highest level: **{check.level.value}**. Judged by: {', '.join(f'`{name}`' for name in check.by)}.",
        rest.strip(),
    ]
    if rows := settings(check):
        table = ["| setting | default | meaning |", "|---|---|---|"]
        table += [f"| `{name}` | {value!r} | {meaning} |" for name, value, meaning in rows]
        parts += ["## Settings", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def settings(check: Check) -> tuple[tuple[str, object, str], ...]:
    """Return name, default and meaning of each setting of a check."""
    meanings = field_meanings(type(check))
    return tuple(
        (item.name, None if item.default is MISSING else item.default, meanings.get(item.name, ""))
        for item in fields(check)
    )


def field_meanings(owner: type) -> dict[str, str]:
    """Return what stands under each field of a dataclass: its docstring, in one line."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
    except (OSError, TypeError, SyntaxError):  # a check of a package that is installed without its source
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    meanings = {}
    for item, below in pairwise(body):
        if (
            isinstance(item, ast.AnnAssign)
            and isinstance(item.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            meanings[item.target.id] = " ".join(below.value.value.split())
    return meanings


def _documentation(check: Check) -> str:
    """Return the docstring of a check, which is its page."""
    return inspect.getdoc(type(check)) or ""
