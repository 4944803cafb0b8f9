"""What a careful engineer prints first: one sample (or batch), field by field."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import pathlib
import uuid
from typing import Any

from dldoctor.probes.glance import Glance
from dldoctor.probes.look import Look

_TEXT = 60
_SHOWN = 8
_SPOKEN = (
    enum.Enum,
    pathlib.PurePath,
    dt.date,
    dt.time,
    dt.timedelta,
    decimal.Decimal,
    uuid.UUID,
)
"""Types of Python's own whose text is what a person expects to read."""
Row = tuple[str, str, str | None, str | None, str | None, str]
"""``(path, container, dtype, shape, range, preview)``, all texts that `marshal` takes."""


def preview(seen: Glance, objects: list[Any], looks: tuple[Look | None, ...] | None) -> list[Row]:
    """Return one row for each leaf."""
    rows: list[Row] = []
    for position, (path, container, dtype, mode) in enumerate(seen.layout):
        found = looks[position] if looks else None
        shape = seen.shapes[position]
        rows.append(
            (
                path,
                container,
                dtype or mode,
                None if shape is None else shape_text(shape),
                _range(found, seen.values[position]),
                value_text(objects[position], found, seen.values[position]),
            )
        )
    return rows


def shape_text(shape: tuple[int, ...]) -> str:
    """Return ``3x224x224``; an empty text for a scalar."""
    return "x".join(str(n) for n in shape)


def number_text(value: float) -> str:
    """Return a number short enough for a table."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e7:
        return str(int(value))
    return f"{value:.4g}"


def _range(found: Look | None, value: Any) -> str | None:
    if found is None or value is not None:
        return None
    if found.low is None or found.high is None:
        return "no finite value"
    return f"{number_text(found.low)} .. {number_text(found.high)}"


def value_text(leaf: Any, found: Look | None, value: Any) -> str:
    """Return a short text of a leaf's value without control characters."""
    try:
        return _value_text(leaf, found, value)
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return ""


def _value_text(leaf: Any, found: Look | None, value: Any) -> str:
    if isinstance(leaf, str):
        return _clean(leaf)
    if isinstance(leaf, bytes):
        return _clean(repr(leaf[:24]))
    if value is not None or leaf is None:
        return _clean(str(value))
    if isinstance(leaf, _SPOKEN):
        return _clean(str(leaf))
    if isinstance(leaf, (list, tuple)) and leaf and isinstance(leaf[0], (str, int, float, *_SPOKEN)):
        return _clean(_listed([str(item) for item in leaf[: _SHOWN + 1]]))
    if found is not None and found.some:
        return _clean(_listed([number_text(v) for v in _head(leaf, found)]))
    return ""


def _listed(items: list[str]) -> str:
    return "[" + ", ".join(items[:_SHOWN]) + (", ...]" if len(items) > _SHOWN else "]")


def _head(leaf: Any, found: Look) -> list[float]:
    """Return the first elements, in order: what a person would see who printed it."""
    from dldoctor.probes.look import as_tensor

    tensor = as_tensor(leaf)
    if tensor is None or tensor.ndim == 0:
        return list(found.some[: _SHOWN + 1])
    return [float(v) for v in tensor.reshape(-1)[: _SHOWN + 1].tolist()]


def _clean(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text[: 2 * _TEXT])
    return shown if len(shown) <= _TEXT else shown[: _TEXT - 3] + "..."
