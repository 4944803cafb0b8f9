"""Samples that look alike from outside: the same fields, types and shapes."""

from __future__ import annotations

from dldoctor.finding import SampleId
from dldoctor.probes.collect.mixes import is_none
from dldoctor.probes.collect.modalities import held_in
from dldoctor.probes.collect.ranges import pictures_in
from dldoctor.probes.glance import Glance, leaf_bytes

_IDS = 20
_NAMES = 12


class Alike:
    """How many samples look like this, and which came first."""

    __slots__ = (
        "blank_ids",
        "blanks",
        "count",
        "held",
        "ids",
        "is_none",
        "layout",
        "nbytes",
        "paths",
        "pictures",
        "scalars",
        "shapes",
        "structure",
    )

    def __init__(self, seen: Glance) -> None:
        """Describe them by the first one."""
        self.layout = seen.layout
        self.shapes = seen.shapes
        self.count = 0
        self.ids: list[SampleId] = []
        self.blanks = 0
        self.blank_ids: set[SampleId] = set()
        self.paths = frozenset(part[0] for part in seen.layout)
        self.is_none = is_none(seen)
        names = ", ".join(part[0] for part in seen.layout[:_NAMES])
        self.structure = "None" if self.is_none else names + (", ..." if len(seen.layout) > _NAMES else "")
        self.nbytes = sum(
            leaf_bytes(container, dtype, mode, seen.shapes[position])
            for position, (_, container, dtype, mode) in enumerate(seen.layout)
        )
        self.pictures = pictures_in(seen)
        self.held = held_in(seen)
        # Leaves whose value may be worth counting, so that the others cost nothing a sample.
        self.scalars = [
            position
            for position, (_, container, _, _) in enumerate(seen.layout)
            if container in ("int", "float", "bool", "str", "scalar") or seen.shapes[position] == ()
        ]

    def add(self, sample: SampleId) -> None:
        """Count one more."""
        self.count += 1
        if len(self.ids) < _IDS:
            self.ids.append(sample)

    def add_blank(self, sample: SampleId) -> None:
        """Note that a modality of this one, which is counted already, holds one single value."""
        self.blanks += 1
        if len(self.blank_ids) < _IDS:
            self.blank_ids.add(sample)
