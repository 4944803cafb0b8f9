"""Sample ids and places in the user's code, as text."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.finding import SampleId, SourceRef
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count

ID_LIMIT = 40
"""Characters of one id; ids may be whole paths."""


def id_text(sample: SampleId) -> str:
    """Return one id, short."""
    return clean(str(sample), ID_LIMIT)


def ids_text(samples: Sequence[SampleId], total: int | None = None, show: int = 8) -> str:
    """Return ``3, 17 and 4 more``; without a `total` and with a full list, ``and more``."""
    shown = samples[:show]
    listed = ", ".join(id_text(sample) for sample in shown)
    if total is None:
        return (
            f"{listed} and {count(len(samples) - len(shown))} more" if len(samples) > len(shown) else listed
        )
    rest = total - len(shown)
    return f"{listed} and {count(rest)} more" if rest > 0 and listed else listed


def place_text(where: SourceRef | None) -> str:
    """Return ``data.py:41 (collate)``, or nothing where the place is not known."""
    return clean(str(where), 300) if where else ""
