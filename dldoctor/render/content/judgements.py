"""Which rules judged the run, and which did not and why. A rule without an answer is no pass."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.render.clean_text import clean
from dldoctor.report import Report


@dataclass(frozen=True)
class NotJudged:
    """Rules that did not judge for one and the same reason."""

    status: str
    """``skipped``, ``not applicable``, ``too little evidence``."""
    reason: str
    rules: tuple[tuple[str, str], ...]
    """Number and name."""


STATUS_WORDS = {
    "insufficient-evidence": "too little evidence",
    "skipped": "skipped",
    "not-applicable": "not applicable",
}
"""Statuses in the order in which they are shown: what the user can change comes first."""


def clean_rules(report: Report) -> tuple[tuple[str, str], ...]:
    """Return number and name of the rules that judged and found nothing."""
    return tuple((clean(c.rule, 20), clean(c.name, 60)) for c in report.checks if c.status == "clean")


def not_judged(report: Report) -> tuple[NotJudged, ...]:
    """Return the rules that did not judge, grouped by reason."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for wanted, words in STATUS_WORDS.items():
        for check in report.checks:
            if check.status == wanted:
                key = (words, clean(check.reason, 300))
                groups.setdefault(key, []).append((clean(check.rule, 20), clean(check.name, 60)))
    return tuple(NotJudged(status, reason, tuple(rules)) for (status, reason), rules in groups.items())
