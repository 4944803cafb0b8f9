"""What the names of two kinds of files have in common, so that partners can be told by name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

DIGITS = re.compile(r"\d+")
Key = tuple[str, ...] | None


def stripped(paths: Sequence[str]) -> dict[str, str]:
    """Return each path without its ending, and without what all of them begin and end with."""
    names = {path: os.path.splitext(path)[0] for path in paths}
    some = list(names.values())
    first, last = min(some, default=""), max(some, default="")
    start = _before_digits(_common(first, last), some)
    tails = sorted(name[start:][::-1] for name in some)
    end = _before_digits(_common(tails[0], tails[-1]) if tails else "", tails)
    return {path: name[start : len(name) - end] for path, name in names.items()}


def _common(one: str, other: str) -> str:
    """Return what two texts begin with, character by character."""
    least = min(len(one), len(other))
    return one[: next((at for at in range(least) if one[at] != other[at]), least)]


def _before_digits(common: str, names: Sequence[str]) -> int:
    """Return the length of what is common, without a number that it ends within."""
    kept = len(common)
    while kept and common[kept - 1].isdigit() and any(name[kept : kept + 1].isdigit() for name in names):
        kept -= 1
    while 0 < kept < len(common) and common[kept - 1].isdigit():
        kept -= 1
    return kept


def _whole(name: str) -> Key:
    return (name.lower(),) if name else None


def _base(name: str) -> Key:
    base = os.path.basename(name)
    return (base.lower(),) if base else None


def _numbers(name: str) -> Key:
    found = DIGITS.findall(os.path.basename(name)) or DIGITS.findall(name)
    return tuple(str(int(one)) for one in found) or None


def _last_number(name: str) -> Key:
    found = DIGITS.findall(name)
    return (str(int(found[-1])),) if found else None


KEYS: tuple[tuple[str, Callable[[str], Key]], ...] = (
    ("name", _whole),
    ("name", _base),
    ("numbers", _numbers),
    ("last number", _last_number),
)
"""Ways to read a name, the strictest first."""


def template(path: str) -> str:
    """Return a path with each number replaced: files of one kind have few."""
    return DIGITS.sub("#", path)
