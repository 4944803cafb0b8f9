"""What a check is: a pure function from evidence and intent to findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from dldoctor.evidence import Evidence
from dldoctor.finding import SAMPLES_KEPT, Finding, Level, Remark, SampleId, SourceRef, Unjudged
from dldoctor.intent import Inferred, Intent


@dataclass(frozen=True)
class Case:
    """All that a check may look at. No loader, no clock, no torch."""

    evidence: Evidence
    intent: Intent = field(default_factory=Intent)
    inferred: Mapping[str, Inferred] = field(default_factory=dict)
    """Field path to the role that was inferred or declared for it."""
    commands: tuple[str, ...] = ()
    """The commands whose rules are judged."""

    @property
    def speed_matters(self) -> bool:
        """Whether a slow loader is a fault: speed was the question, or who waits for it is known."""
        asked = {"profile", "sweep", "run"} & set(self.commands)
        return bool(asked) or self.intent.step_ms is not None or self.intent.step is not None

    def role_of(self, path: str, at_least: float = 0.7) -> str | None:
        """Return the role of a field if it is known well enough."""
        found = self.inferred.get(path)
        return found.role if found and found.confidence >= at_least else None

    def paths_of(self, role: str, at_least: float = 0.7) -> tuple[str, ...]:
        """Return the paths of all fields that hold a role well enough."""
        return tuple(
            path
            for path, found in self.inferred.items()
            if found.role == role and found.confidence >= at_least
        )


@dataclass(frozen=True)
class Check:
    """Base of all checks. Fields of a subclass are its documented settings.

    A subclass is named after what is wrong and sets the class values below. Its docstring is the
    rule's page: one line, then ``## Why it hurts``, ``## What to do``, ``## When it is wrong``.
    """

    rule: ClassVar[str]
    """Stable number, ``DL301``."""
    name: ClassVar[str]
    """Stable name in kebab case; the file and the class are spelled after it."""
    level: ClassVar[Level]
    """The highest level that it may reach."""
    by: ClassVar[tuple[str, ...]] = ("dry-run",)
    """Commands whose evidence decides it."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Branches of `Evidence` that it cannot do without."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged | Remark]:
        """Yield the findings; nothing means clean, or a `Remark` that says why; one `Unjudged`: it could not tell."""
        raise NotImplementedError

    def finding(
        self,
        message: str,
        *,
        advice: str,
        level: Level | None = None,
        where: SourceRef | None = None,
        samples: Iterable[SampleId] = (),
        **facts: Any,
    ) -> Finding:
        """Return a finding of this rule, at its own level unless a lower one is given."""
        return Finding(
            rule=self.rule,
            name=self.name,
            level=self.level if level is None else level,
            message=message,
            advice=advice,
            where=where,
            samples=tuple(samples)[:SAMPLES_KEPT],
            facts=facts,
        )


def not_applicable(reason: str) -> Unjudged:
    """The rule has no meaning for this loader."""
    return Unjudged("not-applicable", reason)


def insufficient(reason: str) -> Unjudged:
    """There was too little evidence to judge."""
    return Unjudged("insufficient-evidence", reason)
