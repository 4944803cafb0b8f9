"""One reason to take a field for something, and the surroundings that it is judged in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dldoctor.finding import SampleId
from dldoctor.roles.leaf import Leaf

STRONG = 0.85
"""A value rule this sure overrules names and weaker rules."""


@dataclass(frozen=True)
class Vote:
    """What one rule says of one field."""

    role: str
    strength: float
    """0 to 1: how often it is right where it fires."""
    why: str


@dataclass(frozen=True)
class Scene:
    """The leaves of one batch, with the candidates for the roles that others are compared with."""

    leaves: Mapping[str, Leaf]
    tokens: tuple[str, ...] = ()
    """Paths that may be token ids, most likely first."""
    pixels: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    ids: tuple[SampleId, ...] = ()
    """Ids of the samples behind the rows, where the rows are samples."""
    order: Mapping[str, int] = field(default_factory=dict)
    """Position of each path among the leaves."""

    def others(self, paths: tuple[str, ...], path: str) -> Iterator[tuple[str, Leaf]]:
        """Yield the leaves at `paths`, but for the one that is being judged."""
        for other in paths:
            if other != path and other in self.leaves:
                yield other, self.leaves[other]


@dataclass(frozen=True)
class Field:
    """The field that a rule judges, in its scene."""

    path: str
    leaf: Leaf
    scene: Scene


Rule = Callable[[Field], Vote | None]
"""Judges one field by its values; None where it has nothing to say."""
