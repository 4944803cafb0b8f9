"""How an index is written down: samplers give numbers, and sometimes anything else."""

from __future__ import annotations

from typing import Any


def plain_index(index: Any) -> Any:
    """Return an index as an int, or as the text of what it is."""
    if type(index) is int:
        return index
    try:
        return int(index.__index__())
    except (AttributeError, TypeError):
        return repr(index)[:80]
