"""Two reports held against each other: what is new, worse, gone, and what the noise does not tell apart."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.baseline import judged_rules, paired
from dldoctor.finding import Finding, Level
from dldoctor.noise import differs
from dldoctor.report import Report


@dataclass(frozen=True)
class Change:
    """A finding that both reports have, as it was and as it is."""

    before: Finding
    after: Finding


@dataclass(frozen=True)
class Comparison:
    """Every finding of two reports, each in one place."""

    before: Report
    after: Report
    new: tuple[Finding, ...] = ()
    """Found now, by a rule that had judged before and not found it."""
    first: tuple[Finding, ...] = ()
    """Found now, by a rule that had not judged before: whether it is new is not known."""
    worse: tuple[Change, ...] = ()
    """At a worse level than before."""
    milder: tuple[Change, ...] = ()
    """At a milder level than before."""
    same: tuple[Change, ...] = ()
    gone: tuple[Finding, ...] = ()
    """Found before and not now, by a rule that judged."""
    unjudged: tuple[Finding, ...] = ()
    """Found before; its rule did not judge now."""
    noise: tuple[Finding, ...] = ()
    """Would be new, worse, milder or gone, but the interval of one holds the value of the other."""

    @property
    def worst(self) -> Level | None:
        """The worst level of what came up: new, found for the first time, or worse."""
        levels = [one.level for one in (*self.new, *self.first, *(change.after for change in self.worse))]
        return min(levels, key=lambda level: level.rank, default=None)


def compare(before: Report, after: Report) -> Comparison:
    """Return what changed from one report to another."""
    pairs, left = paired(after, before)
    was_judged, is_judged = judged_rules(before), judged_rules(after)
    new, first, gone, unjudged, noise = [list[Finding]() for _ in range(5)]
    worse, milder, same = [list[Change]() for _ in range(3)]
    for finding, earlier in pairs:
        if earlier is not None and earlier.level is finding.level:
            same.append(Change(earlier, finding))
        elif not differs(finding, earlier, before.evidence):
            noise.append(finding)
        elif earlier is None:
            (new if finding.rule in was_judged else first).append(finding)
        else:
            (worse if finding.level.rank < earlier.level.rank else milder).append(Change(earlier, finding))
    for one in left:
        if one.rule not in is_judged or not after.complete:
            unjudged.append(one)
        else:
            (gone if differs(one, None, after.evidence) else noise).append(one)
    return Comparison(
        before,
        after,
        new=tuple(new),
        first=tuple(first),
        worse=tuple(worse),
        milder=tuple(milder),
        same=tuple(same),
        gone=tuple(gone),
        unjudged=tuple(unjudged),
        noise=tuple(noise),
    )
