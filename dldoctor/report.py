"""The report: what was judged, what was found, what was not; JSON in, JSON out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from dldoctor.errors import ReportError
from dldoctor.evidence import Evidence
from dldoctor.finding import FailOn, Finding, Judgement, Level
from dldoctor.intent import Inferred

SCHEMA = "dldoctor.report/1"


@dataclass(frozen=True)
class Tool:
    """What wrote the report."""

    name: str
    version: str


@dataclass(frozen=True)
class Overhead:
    """What our own observation cost, measured on the user's loader."""

    seconds: float = 0.0
    """CPU seconds of ours, all processes together."""
    share: float = 0.0
    """Of the CPU time of the user's code in the same processes."""


@dataclass(frozen=True)
class Summary:
    """Findings by level."""

    worst: Level | None = None
    """Null when there is no finding."""
    error: int = 0
    warning: int = 0
    risk: int = 0
    info: int = 0


@dataclass(frozen=True)
class Baseline:
    """An earlier report that this one is held against: only what is new counts."""

    name: str
    """File of the earlier report."""
    command: str
    target: str
    known: tuple[Finding, ...] = ()
    """Findings of this run that the earlier report has too; they stand in no count."""
    worse: tuple[str, ...] = ()
    """Rules of findings that the earlier report has at a lower level; they count as new."""
    gone: tuple[Finding, ...] = ()
    """Findings of the earlier report whose rule judged this run and did not find them again."""
    noise: tuple[str, ...] = ()
    """Rules of findings that would be new or worse, but whose interval holds the earlier value; they
    stand in `known`."""


@dataclass(frozen=True)
class Fault:
    """A fault of dldoctor's own: what it could not measure or judge. The rest of the report stands."""

    where: str
    """The probe or the rule that failed."""
    traceback: str


@dataclass(frozen=True)
class Report:
    """One command on one target. Any format can be drawn from it again."""

    schema: str
    tool: Tool
    command: str
    target: str
    complete: bool
    """False where the run was interrupted."""
    started_at: str
    """UTC, ISO 8601."""
    duration_s: float
    overhead: Overhead
    machine: dict[str, Any]
    loader: dict[str, Any]
    declared: dict[str, Any]
    inferred: dict[str, Inferred]
    evidence: Evidence
    checks: tuple[Judgement, ...]
    findings: tuple[Finding, ...]
    summary: Summary = field(default_factory=Summary)
    fail_on: FailOn = "error"
    """The lowest level that fails the run."""
    baseline: Baseline | None = None
    """Null where the run was not held against an earlier report."""
    arguments: str = ""
    """Which loader of the target, and with which arguments, as on the command line (``-k split=train``)."""
    faults: tuple[Fault, ...] = ()
    """Empty unless dldoctor itself failed somewhere."""

    @property
    def whole_target(self) -> str:
        """The target with its arguments, which tells two loaders of one target apart."""
        return f"{self.target} {self.arguments}".rstrip()

    def fails(self, finding: Finding) -> bool:
        """Whether a finding is of the level that fails the run, or worse."""
        return self.fail_on != "never" and finding.level.rank <= Level(self.fail_on).rank


def order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings with the worst level first, then by what they cost, then by rule.

    The cost is the finding's fact ``share`` (of samples, rows, time), where it has one.
    """

    def key(item: Finding) -> tuple[int, float, str]:
        share = item.facts.get("share", 0.0)
        return item.level.rank, -float(share if isinstance(share, (int, float)) else 0.0), item.rule

    return tuple(sorted(findings, key=key))


def summarise(findings: tuple[Finding, ...]) -> Summary:
    """Count findings by level."""
    counts = {level.value: 0 for level in Level}
    for item in findings:
        counts[item.level.value] += 1
    worst = min((item.level for item in findings), key=lambda level: level.rank, default=None)
    return Summary(worst=worst, **counts)


def dumps(report: Report) -> bytes:
    """Return the report as indented JSON; values that JSON lacks (NaN) become null."""
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:  # a lone surrogate: a file name that is not valid text, say
        data = msgspec.json.encode(_encodable(msgspec.to_builtins(report)))
    return msgspec.json.format(data, indent=2)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, (list, tuple)) else value


def loads(data: bytes | str, name: str = "the report") -> Report:
    """Read a report back.

    Raises:
        ReportError: it is not JSON, not a report, or of another schema.
    """
    try:
        head = msgspec.json.decode(data)
        found = head.get("schema") if isinstance(head, dict) else None
        if found != SCHEMA:
            raise ReportError(f"{name} is not a dldoctor report: schema is {found!r}, expected {SCHEMA!r}")
        return msgspec.json.decode(data, type=Report)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReportError(f"{name} is not a dldoctor report: {error}") from error


def load(path: Path) -> Report:
    """Read a report file; see `loads`."""
    try:
        return loads(path.read_bytes(), str(path))
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}") from error


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the report, made from the types above."""
    return msgspec.json.schema(Report)
