"""How an index and a sample are written down: samplers give numbers, and sometimes anything else."""

from __future__ import annotations

from typing import Any

from dldoctor.finding import SampleId, StreamPosition


def plain_index(index: Any) -> Any:
    """Return an index as an int, or as the text of what it is."""
    if type(index) is int:
        return index
    try:
        return int(index.__index__())
    except (AttributeError, TypeError):
        return repr(index)[:80]


def sample_id(kind: str, worker: int, raw: Any) -> SampleId:
    """Return the id under which a sample of a dataset (``map`` or ``iterable``) is reported."""
    if kind == "map":
        return raw if isinstance(raw, (int, str)) else str(raw)
    return StreamPosition(max(worker, 0), int(raw))
