"""DL211 class-map-differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import counted
from dldoctor.evidence.splits import ClassMap
from dldoctor.finding import Finding, Level, Unjudged

SHOWN = 4


@dataclass(frozen=True)
class ClassMapDiffers(Check):
    """The same class has another id in training than in evaluation.

    ## Why it hurts
    The model is right and the metric says that it is wrong, or the other way round: what it learned as class 2 is
    counted as class 3. It comes from maps that each split makes of the folders or labels that it happens to have.

    ## What to do
    Make one map, from training, save it with the model, and give it to every split. Leave hidden folders out
    (`.ipynb_checkpoints` sorts before all classes and moves each id by one).

    ## When it is wrong
    Classes that only one split has are no fault as long as all shared classes have the same ids. A map that the
    dataset holds and nobody uses may differ without harm.
    """

    rule: ClassVar[str] = "DL211"
    name: ClassVar[str] = "class-map-differs"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("compare",)
    needs: ClassVar[tuple[str, ...]] = ("splits",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the ids of the classes that both sides have."""
        splits = case.evidence.splits
        assert splits is not None
        pairs = list(_pairs(splits.first.classes, splits.second.classes))
        if not pairs:
            yield not_applicable("no map of classes was found in both datasets")
            return
        one, other = pairs[0]
        shared = [name for name in one.ids if name in other.ids]
        moved = [name for name in shared if one.ids[name] != other.ids[name]]
        if not moved:
            return
        told = ", ".join(f"`{name}` {one.ids[name]} and {other.ids[name]}" for name in moved[:SHOWN])
        more = f" and {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""
        alone = sorted(set(one.ids) ^ set(other.ids))
        why = f"; {', '.join(f'`{name}`' for name in alone[:SHOWN])} only one side has" if alone else ""
        yield self.finding(
            f"{counted(len(moved), 'class', 'classes')} of {len(shared)} that both sides have "
            f"{'has' if len(moved) == 1 else 'have'} another id in {splits.second.role} than in "
            f"{splits.first.role}: {told}{more}{why}",
            advice="Make one map of classes, from training, and give it to both.",
            where=splits.second.dataset_ref,
            share=len(moved) / len(shared),
            first=one.at,
            second=other.at,
            maps=[
                {"class": name, splits.first.role: one.ids.get(name), splits.second.role: other.ids.get(name)}
                for name in [*moved, *alone][:24]
            ]
            if splits.first.role != splits.second.role
            else [],
        )


def _pairs(first: tuple[ClassMap, ...], second: tuple[ClassMap, ...]) -> Iterator[tuple[ClassMap, ClassMap]]:
    """Yield maps that speak of the same classes, the outermost first."""
    for one in first:
        for other in second:
            if one.ids.keys() & other.ids.keys():
                yield one, other
