"""What one sample gives for each field of a batch, by collating it without any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dldoctor.probes.arrays import is_array

COPIES = (1, 2, 4)
"""A collate that takes no sample alone may take it twice, or more often."""

Leaves = Mapping[str, Any]


def given_alone(sample: Callable[[], Any], collate: Callable[[list[Any]], Leaves | None]) -> Leaves | None:
    """Return the fields that one sample gives; None where the collate refuses it.

    `sample` returns it anew each time.
    """
    for copies in COPIES:
        fields = collate([sample() for _ in range(copies)])
        if fields is not None:
            return fields if copies == 1 else {path: _part(leaf, copies) for path, leaf in fields.items()}
    return None


def _part(leaf: Any, copies: int) -> Any:
    """Return what belongs to the first of several equal samples."""
    if not is_array(leaf) and not isinstance(leaf, (list, tuple)):
        return leaf
    try:
        length = len(leaf)
    except TypeError:  # an array without an axis
        return leaf
    return leaf[: length // copies] if length and length % copies == 0 else leaf
