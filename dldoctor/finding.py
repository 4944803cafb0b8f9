"""What a check says: a finding with its evidence, or that it could not judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Level(StrEnum):
    """How sure and how bad. The level follows the evidence of this run, never a guess."""

    ERROR = "error"
    """Harm shown by a value from this run."""
    WARNING = "warning"
    """Harmful in the usual case, or costly."""
    RISK = "risk"
    """An unsafe construction whose harm this run did not show."""
    INFO = "info"
    """Worth knowing; nothing to repair."""

    @property
    def rank(self) -> int:
        """0 for the worst level, 3 for `info`."""
        return list(Level).index(self)


@dataclass(frozen=True)
class StreamPosition:
    """Where a sample of a stream came from; streams have no index."""

    worker: int
    """Worker that read it; 0 without workers."""
    ordinal: int
    """How many samples that worker had yielded before it in the epoch."""

    def __str__(self) -> str:
        """Return the short form that reports print."""
        return f"worker {self.worker} #{self.ordinal}"


SampleId = int | str | StreamPosition
"""An index (map-style), a position (stream), or the text of an index that is neither."""


@dataclass(frozen=True)
class SourceRef:
    """A place in the user's code."""

    path: str
    """File, relative to the working directory where it lies below it."""
    line: int | None = None
    """First line, from 1; null where the source is not available."""
    symbol: str | None = None
    """Function or class at that place."""

    def __str__(self) -> str:
        """Return ``path:line (symbol)`` with the parts that are known."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place} ({self.symbol})" if self.symbol else place


@dataclass(frozen=True)
class Finding:
    """One fault (or one fact, at `info`), with the value that proves it."""

    rule: str
    """Stable number, ``DL301``."""
    name: str
    """Stable name, ``label-pad-trained``."""
    level: Level
    message: str
    """The fact, with its numbers, as one plain sentence."""
    advice: str
    """One step, imperative."""
    where: SourceRef | None = None
    """The place in the user's code, where one is known."""
    samples: tuple[SampleId, ...] = ()
    """The samples that show it, at most `SAMPLES_KEPT`; `facts` has the full count."""
    facts: dict[str, Any] = field(default_factory=dict)
    """The numbers behind the message, by name; plain JSON values."""
    reproduce: str = ""
    """A command that shows it again in seconds."""


FailOn = Literal["error", "warning", "risk", "info", "never"]
"""The lowest level that fails a run."""

SAMPLES_KEPT = 20
"""How many sample ids one finding carries."""

Status = Literal["clean", "finding", "skipped", "not-applicable", "insufficient-evidence"]


@dataclass(frozen=True)
class Unjudged:
    """Why a check did not judge. It never looks like a pass."""

    status: Literal["skipped", "not-applicable", "insufficient-evidence"]
    reason: str
    """A sentence that the user can act on."""


@dataclass(frozen=True)
class Remark:
    """On what a clean verdict rests, where that is a guess which the user can settle."""

    reason: str


@dataclass(frozen=True)
class Judgement:
    """What became of one rule in one run."""

    rule: str
    name: str
    status: Status
    reason: str = ""
    """Empty for `finding`, and for `clean` unless the verdict rests on a guess."""
