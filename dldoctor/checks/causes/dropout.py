"""What a sample lacks once and has the next time was dropped at random, and is not missing."""

from __future__ import annotations

from collections.abc import Iterable

from dldoctor.evidence import Evidence
from dldoctor.evidence.protocol import Emptied


def read_again(evidence: Evidence, paths: Iterable[str]) -> Emptied | None:
    """Return what came of reading samples again that lack something, of the field of which most were."""
    wanted = set(paths)
    found = [one for one in evidence.protocol.emptied if one.path in wanted] if evidence.protocol else []
    return max(found, key=lambda one: len(one.read), default=None)


def stays(again: Emptied) -> list[int]:
    """Return the samples that lack it each time."""
    return [one for one in again.read if one not in again.filled]
