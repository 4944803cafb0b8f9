"""What a sample lacks once and has the next time was dropped at random, and is not missing."""

from __future__ import annotations

from collections.abc import Iterable

from dldoctor.checks.phrases import samples_named
from dldoctor.evidence import Evidence
from dldoctor.evidence.protocol import Emptied


def read_again(evidence: Evidence, paths: Iterable[str]) -> Emptied | None:
    """Return what came of reading samples again that lack something, of the field of which most were."""
    wanted = set(paths)
    found = [one for one in evidence.protocol.emptied if one.path in wanted] if evidence.protocol else []
    return max(found, key=lambda one: len(one.read), default=None)


def dropped(again: Emptied) -> bool:
    """Whether each sample had at one reading what it lacked at another."""
    return set(again.read) == set(again.filled)


def that_stay(again: Emptied | None, so: str) -> tuple[list[int], str]:
    """Return the samples that are `so` each time, where others are not, and the end of a sentence about them."""
    stay = [one for one in again.read if one not in again.filled] if again and again.filled else []
    if again is None or not stay:
        return [], ""
    return stay, f"; of {len(again.read)} that were read again {len(stay)} stay {so} ({samples_named(stay)})"
