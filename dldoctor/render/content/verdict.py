"""The last line: how many findings, how many rules judged, how many did not."""

from __future__ import annotations

from dldoctor.finding import Level
from dldoctor.render.content.judgements import clean_rules, not_judged
from dldoctor.render.numbers import count, counted
from dldoctor.report import Report


def level_counts(report: Report) -> tuple[tuple[Level, str], ...]:
    """Return the levels that occur, worst first, each with its count in words."""
    found = report.summary
    named = (
        (Level.ERROR, found.error, "error", "errors"),
        (Level.WARNING, found.warning, "warning", "warnings"),
        (Level.RISK, found.risk, "risk", "risks"),
        (Level.INFO, found.info, "info", "info"),
    )
    return tuple((level, counted(n, one, many)) for level, n, one, many in named if n)


def headline(report: Report) -> str:
    """Return ``2 errors, 1 warning``, or that nothing was found."""
    nothing = "no findings" if clean_rules(report) else "nothing was judged"
    return ", ".join(text for _, text in level_counts(report)) or nothing


def scope(report: Report) -> str:
    """Return of how many rules the run was judged clean, and how many did not judge."""
    unjudged = sum(len(group.rules) for group in not_judged(report))
    rules = counted(len(report.checks), "rule")
    return (
        f"{rules}: {count(len(clean_rules(report)))} clean, {count(unjudged)} not judged"
        if report.checks
        else ""
    )


def known(report: Report) -> str:
    """Return what the baseline did to the counts; nothing without one."""
    base = report.baseline
    if base is None:
        return ""
    worse = f", {count(len(base.worse))} worse than there" if base.worse else ""
    gone = f", {count(len(base.gone))} gone" if base.gone else ""
    noise = f" ({count(len(base.noise))} within the noise)" if base.noise else ""
    return f"new since the baseline{worse}; {count(len(base.known))} known{noise}{gone}"


def incomplete(report: Report) -> str:
    """Return a warning where the run did not come to its end, or dldoctor failed in a part of it."""
    if not report.complete:
        return "incomplete: the run was interrupted, and what it had not seen is not judged"
    if not report.faults:
        return ""
    return (
        f"incomplete: dldoctor itself failed in {', '.join(one.where for one in report.faults)}; what hangs "
        "on that is not judged, the rest is"
    )
