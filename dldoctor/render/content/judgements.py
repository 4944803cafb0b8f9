"""Which rules judged the run, and which did not and why. A rule without an answer is no pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dldoctor.errors import ConfigError
from dldoctor.render.clean_text import clean
from dldoctor.report import Report
from dldoctor.rules import find


@dataclass(frozen=True)
class NotJudged:
    """Rules that did not judge for one and the same reason."""

    status: str
    """``skipped``, ``not applicable``, ``too little evidence``."""
    reason: str
    rules: tuple[tuple[str, str], ...]
    """Number and name."""

    @property
    def size(self) -> int:
        """How many rules."""
        return len(self.rules)

    @property
    def who(self) -> str:
        """The rules by number and name; many of them by the commands that decide them."""
        if self.size <= NAMED:
            return ", ".join(f"{number} {name}" for number, name in self.rules)
        owners = Counter(_owner(number) for number, _ in self.rules)
        told = ", ".join(f"{name} {count}" if len(owners) > 1 else name for name, count in owners.items())
        return f"{self.size} rules of {told}"


NAMED = 3
"""More rules than these are not named one by one."""


def _owner(number: str) -> str:
    """Return the command that decides a rule; a report may come from a version with other rules."""
    try:
        return find(number).by[0]
    except ConfigError:
        return "others"


NOT_APPLICABLE = "not applicable"
STATUS_WORDS = {
    "insufficient-evidence": "too little evidence",
    "skipped": "skipped",
    "not-applicable": NOT_APPLICABLE,
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
