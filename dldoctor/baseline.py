"""An earlier report as the baseline of a new one: only what is new counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Final

from dldoctor.finding import Finding
from dldoctor.report import Baseline, Report, summarise

TELLING: Final = ("field", "path", "attribute", "stage", "kind", "what", "budget")
"""Facts that tell one finding of a rule from another. Numbers do not: they differ from run to run."""


def identity(finding: Finding) -> tuple[str, ...]:
    """Return what stays the same when a fault is found again: rule, place, and what it is about.

    Lines, samples and measured numbers are left out: they move without the fault being another one.
    """
    where = finding.where
    place = (where.path, where.symbol or "") if where else ("", "")
    facts = (finding.facts.get(name) for name in TELLING)
    return (finding.rule, *place, *(fact if isinstance(fact, str) else "" for fact in facts))


def against(report: Report, earlier: Report, name: str) -> Report:
    """Return the report with only those findings that an earlier one does not have at the same level.

    A fault counts as new when it is found more often than before, or at a worse level; its numbers
    may have moved. A finding of the earlier report is gone only where its rule judged this run.
    """
    before = defaultdict[tuple[str, ...], list[Finding]](list)
    for one in earlier.findings + (earlier.baseline.known if earlier.baseline else ()):
        before[identity(one)].append(one)
    new, known, worse = [], [], []
    for finding in report.findings:
        same = before[identity(finding)]
        match = next((one for one in same if one.level.rank <= finding.level.rank), None)
        if match is not None:
            same.remove(match)
            known.append(finding)
        else:
            if same:
                same.pop()
                worse.append(finding.rule)
            new.append(finding)
    judged = {check.rule for check in report.checks if check.status in ("clean", "finding")}
    gone = tuple(one for left in before.values() for one in left if one.rule in judged)
    return replace(
        report,
        findings=tuple(new),
        summary=summarise(tuple(new)),
        baseline=Baseline(
            name, earlier.command, earlier.target, tuple(known), tuple(worse), gone if report.complete else ()
        ),
    )


def fingerprints(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return a short, stable mark for each finding; equal ones are numbered in their order."""
    from hashlib import sha256

    seen = Counter[tuple[str, ...]]()
    marks = []
    for finding in findings:
        same = identity(finding)
        text = "\n".join((*same, str(seen[same])))
        marks.append(sha256(text.encode("utf-8", "replace")).hexdigest()[:32])
        seen[same] += 1
    return tuple(marks)
