"""DL212 duplicate-samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.other_item import index_decides_nothing, seed_decides_all, substitutions
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.protocol import RepeatedContent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class DuplicateSamples(Check):
    """Several indices hold the same content.

    ## Why it hurts
    A dataset that reads one file for many indices trains on a fraction of its data, and where the labels
    differ it teaches that the same picture is one thing and another. The loss does not tell.

    ## What to do
    Look at how `__getitem__` makes a path or an offset of the index, and at the list of files. For true
    copies in the data: leave all but one out, above all those that fall into train and eval
    (`dldoctor compare TRAIN EVAL` tells which do: DL610).

    ## When it is wrong
    A picture with several captions or questions is no repetition: all fields that could tell samples
    apart are compared together. Fields of few elements or few different values, and what every sample
    shares, are not compared. Items that come again in turn, with their labels, may be repeated on purpose:
    that is `info`, and so are items that other random numbers make differ: several random crops of one file
    are no copies. Only some items were read: a copy of one that was not is not seen.
    """

    rule = "DL212"
    name = "duplicate-samples"
    level = Level.WARNING
    needs = ("loader", "protocol")

    groups: int = 2
    """Groups of equal items from which on they are no chance find."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the contents of items that were read with equal random numbers."""
        evidence = case.evidence
        assert evidence.protocol is not None
        found = evidence.protocol.repeated
        if found is None:
            yield not_applicable("no field holds enough to tell samples apart")
        elif found.compared < 2:
            yield insufficient("fewer than two items could be read")
        elif index_decides_nothing(evidence) or seed_decides_all(evidence) or substitutions(evidence):
            return  # index-ignored and sample-substituted say which item came instead
        elif found.repeated:
            yield self._repeated(case, found)

    def _repeated(self, case: Case, found: RepeatedContent) -> Finding:
        assert case.evidence.loader is not None
        fields = listed([f"`{path}`" for path in found.fields], shown=3)
        group = found.groups[0]
        differs = found.contradiction
        if found.distinct == 1:
            what = f"all {found.compared} items that were read hold one and the same {fields}"
        else:
            what = (
                f"{found.repeated} of {found.compared} items that were read ({percent(found.repeated / found.compared)}) "
                f"hold the {fields} of another one: samples {listed(group)} are equal"
            )
        if differs is not None:
            one, other = differs.example
            what += f"; `{differs.path}` is {differs.values[0]} in sample {one} and {differs.values[1]} in sample {other}"
        elif found.varies:
            what += (
                " with equal random numbers, and differ with others: fine where an epoch takes several random crops "
                "or augmented views of one file on purpose; otherwise several indices lead to one file"
            )
        elif found.period is not None:
            what += f"; items come again every {counted(found.period, 'index', 'indices')}, fine if they are repeated on purpose"
        return self.finding(
            what,
            advice="Look at how `__getitem__` finds the item of an index, and leave copies out.",
            level=self._level(found),
            where=case.evidence.loader.dataset_ref,
            samples=group,
            compared=found.compared,
            distinct=found.distinct,
            repeated=found.repeated,
            fields=list(found.fields),
            groups=[list(one) for one in found.groups],
            period=found.period,
        )

    def _level(self, found: RepeatedContent) -> Level:
        if found.contradiction is not None:
            return self.level
        if found.varies:
            return Level.INFO
        if found.distinct == 1 and found.compared > self.groups:
            return self.level
        few = len(found.groups) < self.groups
        return Level.INFO if few or found.period is not None else self.level
