"""Readings of test cards so far: how each target lies beside its picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from dldoctor.evidence.paired_transforms import ApartTransform, BlendedMask, PairedTransforms
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.probes.alignment import cards
from dldoctor.probes.alignment.blended import blended_mask
from dldoctor.probes.alignment.dense import pair_of
from dldoctor.probes.alignment.moved_points import Reading, compared, table_of
from dldoctor.probes.alignment.pictures import paths_of
from dldoctor.probes.alignment.placement import placement
from dldoctor.probes.alignment.turns import grey, likeness, turn_of, two_levels
from dldoctor.probes.digest import digest

TOGETHER, APART = 0.7, 0.5
"""Likeness from which on picture and mask lie alike, and below which they do not."""
FEWEST = 4
EXAMPLES = 5
PROVEN = 2
"""Pairs of readings in which marks followed, before those that moved otherwise are wrong."""
OFTEN = 0.2
"""Share of the pairs in which they must have moved otherwise: a box that was cut may seem to."""
Held = Mapping[str, Any]
Key = tuple[str, str]
Kind = Literal["boxes", "keypoints"]
KINDS: tuple[Kind, ...] = ("boxes", "keypoints")


class PairedTargets:
    """Feed it readings; it remembers where targets lay."""

    def __init__(self, roles: Mapping[str, Inferred], box_format: str | None) -> None:
        """Start with nothing."""
        self._roles, self._box_format = roles, box_format
        self._grey: set[Key] = set()
        """Targets that may be computed from the picture, and need not look like it."""
        self.pairs = 0
        """Readings with a picture and something that could be its target."""
        self._masks: dict[Key, list[tuple[float, ApartTransform]]] = defaultdict(list)
        self._blends: dict[Key, list[BlendedMask | None]] = defaultdict(list)
        self._marks: dict[tuple[str, str, Kind], dict[SampleId, list[tuple[int, str | None, Reading]]]] = {}

    def add(self, sample: SampleId, seed: int, read: Sequence[Held | None]) -> None:
        """Take one item as it was read with one card after the other, all else alike.

        What is the same with two patterns does not come from what the cards replaced.
        """
        one, other = read[:2]
        found = pair_of(self._roles, one) if one else None
        if found is None or one is None or other is None:
            return
        path, size, targets = found.path, found.size, [*found.masks, *found.grey]
        self._grey |= {(path, target) for target in found.grey}
        self.pairs += bool(targets or any(paths_of(kind, self._roles, one) for kind in KINDS))
        plane = grey(one[path])
        if plane is None or path not in other or digest(one[path]) == digest(other[path]):
            return
        turn = turn_of(plane, cards.pattern(0)) if plane.ndim == 2 else None
        for target in targets:
            levels = two_levels(one[target])
            if levels is None or digest(one[target]) == digest(other.get(target)):
                continue
            # A mask of many values (a depth) gets a slope as its third card; one of classes the second card again.
            classes = len(read) > 2 and digest((read[2] or {}).get(target)) == digest(other.get(target))
            if target in found.masks and classes and (blend := blended_mask(sample, one[target])) is not None:
                self._blends[path, target] += blend
            alike = likeness(plane, *levels)
            if alike is not None:
                lies = turn_of(levels[0], cards.pattern(0)) if plane.ndim == 2 else None
                self._masks[path, target].append((alike, ApartTransform(sample, seed, turn, lies)))
        if size is not None and len(read) > 3 and read[2] and read[3] and plane.ndim == 2:
            self._add_marks(sample, seed, turn, read, (path, size))

    def _add_marks(
        self, sample: SampleId, seed: int, turn: str | None, read: Sequence[Any], picture: Any
    ) -> None:
        path, size = picture
        shown = [grey(held.get(path)) for held in (read[0], *read[2:])]
        if any(plane is None or plane.ndim != 2 for plane in shown):
            return
        place = placement(*shown)
        if place is None:
            return
        for kind in KINDS:
            for target in paths_of(kind, self._roles, read[0]):
                table = table_of(read[0][target], kind)
                if table is not None and len(table):
                    own = self._marks.setdefault((path, target, kind), {}).setdefault(sample, [])
                    own.append((seed, turn, Reading(place, size, table)))

    def result(self) -> list[PairedTransforms]:
        """Return what was seen of each pair of fields."""
        return [*self._of_masks(), *self._of_marks()]

    def _of_masks(self) -> Iterator[PairedTransforms]:
        for (path, target), seen in self._masks.items():
            clear = [(alike, one) for alike, one in seen if alike >= TOGETHER or alike <= APART]
            wrong = [one for alike, one in clear if alike <= APART]
            if (path, target) in self._grey and len(clear) - len(wrong) < PROVEN:
                continue
            if len(clear) >= FEWEST:
                varies = len({one.picture_turn for _, one in clear}) > 1
                looked = self._blends[path, target]
                blends = [one for one in looked if one is not None]
                yield PairedTransforms(
                    path, target, "mask", len(clear), len(wrong), varies, tuple(wrong[:EXAMPLES]),
                    len(looked), len(blends), tuple(blends[:EXAMPLES]),
                )  # fmt: skip

    def _of_marks(self) -> Iterator[PairedTransforms]:
        for (path, target, kind), items in self._marks.items():
            if _is_fixed(items):
                continue
            told: dict[str, list[ApartTransform]] = defaultdict(list)
            for sample, readings in items.items():
                for one, other in combinations(readings, 2):
                    known = self._box_format if kind == "boxes" else None
                    found = compared(one[2], other[2], kind, known)
                    if found is not None:
                        told[found].append(_apart(sample, one, other, found))
            stayed, followed = told["stay"], told["follow"]
            elsewhere = told["elsewhere"] if len(followed) >= PROVEN else []
            clear = len(stayed) + len(followed) + len(elsewhere)
            if len(elsewhere) < OFTEN * clear:
                clear, elsewhere = clear - len(elsewhere), []
            wrong = [*stayed, *elsewhere]
            if clear >= FEWEST or len(stayed) >= PROVEN:
                yield PairedTransforms(path, target, kind, clear, len(wrong), True, tuple(wrong[:EXAMPLES]))


def _apart(sample: SampleId, one: Any, other: Any, found: str) -> ApartTransform:
    # The reading in which the picture lies otherwise than it is stored tells more.
    told = other if one[1] in (None, "as stored") and other[1] != "as stored" else one
    return ApartTransform(sample, told[0], told[1], "as stored" if found == "stay" else None)


def _is_fixed(items: Mapping[SampleId, Any]) -> bool:
    """Whether all items have the same marks: places of a grid, say, that belong to no picture."""
    tables = [readings[0][2].table for readings in items.values()]
    return len(tables) > 1 and all(
        tuple(one.shape) == tuple(tables[0].shape) and bool((one == tables[0]).all()) for one in tables[1:]
    )
