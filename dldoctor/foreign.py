"""Attributes of objects that are not ours: to ask for one runs their code, which may raise anything.

`getattr` with a default forgives an `AttributeError` alone. A client whose service is down, a class that
stands for a package which is not installed, a proxy of nothing raise other things, and are no reason to
stop looking at the rest.
"""

from __future__ import annotations

from typing import Any

_ABSENT = object()


def attribute(value: Any, name: str, default: Any = None) -> Any:
    """Return an attribute of a foreign object; `default` where asking for it raises."""
    try:
        return getattr(value, name, default)
    except Exception:  # noqa: BLE001 - the user's code
        return default


def has(value: Any, name: str) -> bool:
    """Whether a foreign object has an attribute that can be had."""
    return attribute(value, name, _ABSENT) is not _ABSENT
