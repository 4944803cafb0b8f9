"""What two items do not have in common by chance."""

from __future__ import annotations

from typing import Any

from dldoctor.probes.repeated import CHARACTERS, tells_apart


def text_length(leaf: Any) -> int | None:
    """Return the characters of a text, or of a list of texts: the turns of a conversation; None of anything else."""
    if isinstance(leaf, (str, bytes)):
        return len(leaf)
    if isinstance(leaf, (list, tuple)) and leaf and all(isinstance(part, str) for part in leaf):
        return sum(map(len, leaf))
    return None


def tells(leaf: Any) -> bool:
    """Whether a leaf holds so much that another item will not hold the same."""
    length = text_length(leaf)
    return tells_apart(leaf) if length is None else length >= CHARACTERS
