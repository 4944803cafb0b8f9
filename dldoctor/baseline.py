"""An earlier report as the baseline of a new one: only what is new counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Final

from dldoctor.finding import Finding
from dldoctor.noise import differs
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
    may have moved. What was measured with an interval is new, worse or gone only where that excludes
    the value of the other run. A finding of the earlier report is gone only where its rule judged this run.
    """
    pairs, left = paired(report, earlier)
    new, known, worse, noise = [], [], [], []
    for finding, before in pairs:
        if before is not None and before.level.rank <= finding.level.rank:
            known.append(finding)
        elif not differs(finding, before, earlier.evidence):
            known.append(finding)
            noise.append(finding.rule)
        else:
            new.append(finding)
            if before is not None:
                worse.append(finding.rule)
    judged = judged_rules(report)
    gone = tuple(one for one in left if one.rule in judged and differs(one, None, report.evidence))
    return replace(
        report,
        findings=tuple(new),
        summary=summarise(tuple(new)),
        baseline=Baseline(
            name,
            earlier.command,
            earlier.target,
            tuple(known),
            tuple(worse),
            gone if report.complete else (),
            tuple(noise),
        ),
    )


def paired(
    report: Report, earlier: Report
) -> tuple[tuple[tuple[Finding, Finding | None], ...], tuple[Finding, ...]]:
    """Return each finding with the same fault of an earlier report, and what is left there.

    One at the same level or a worse one is preferred; each excuses one finding.
    """
    before = defaultdict[tuple[str, ...], list[Finding]](list)
    for one in earlier.findings + (earlier.baseline.known if earlier.baseline else ()):
        before[identity(one)].append(one)
    pairs = []
    for finding in report.findings:
        same = before[identity(finding)]
        match = next(
            (one for one in same if one.level.rank <= finding.level.rank), same[-1] if same else None
        )
        if match is not None:
            same.remove(match)
        pairs.append((finding, match))
    return tuple(pairs), tuple(one for left in before.values() for one in left)


def judged_rules(report: Report) -> frozenset[str]:
    """Return the rules that judged the run, whatever they said."""
    return frozenset(check.rule for check in report.checks if check.status in ("clean", "finding"))


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
