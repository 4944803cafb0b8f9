"""What the parent gathers from the child's events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from dldoctor.errors import ChildError, DldoctorError, SeveralLoadersError, TargetError
from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.coverage import CoverageEvidence
from dldoctor.evidence.environment import NeedsEvidence
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.memory import MemoryEvidence
from dldoctor.evidence.outcome import Death, Failure, Hang
from dldoctor.evidence.overlap import OverlapEvidence
from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.evidence.probe_pictures import ProbePicturesEvidence
from dldoctor.evidence.profile import ProfileEvidence
from dldoctor.evidence.protocol import ProtocolEvidence
from dldoctor.evidence.row_media import RowMediaEvidence
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.evidence.splits import ClassMaps
from dldoctor.evidence.sweep import SweepEvidence
from dldoctor.evidence.timing import TimingEvidence
from dldoctor.evidence.workers import (
    ColumnsEvidence,
    CopiesEvidence,
    HandlesEvidence,
    RandomnessEvidence,
    ReproductionEvidence,
    ResumeEvidence,
    StartMethodsEvidence,
    WorkerDataEvidence,
)
from dldoctor.intent import Inferred

BRANCHES: dict[str, Any] = {
    "loader": LoaderSpec,
    "fields": tuple[FieldEvidence, ...],
    "failures": tuple[Failure, ...],
    "samples": SamplesEvidence,
    "batches": BatchesEvidence,
    "protocol": ProtocolEvidence,
    "archives": ArchiveEvidence,
    "timing": TimingEvidence,
    "sweep": SweepEvidence,
    "class_maps": ClassMaps,
    "overlap": OverlapEvidence,
    "coverage": CoverageEvidence,
    "labels": LabelsEvidence,
    "alignment": AlignmentEvidence,
    "placeholders": PlaceholdersEvidence,
    "row_media": RowMediaEvidence,
    "pictures": ProbePicturesEvidence,
    "memory": MemoryEvidence,
    "needs": NeedsEvidence,
    "profile": ProfileEvidence,
    "randomness": RandomnessEvidence,
    "reproduction": ReproductionEvidence,
    "worker_data": WorkerDataEvidence,
    "handles": HandlesEvidence,
    "copies": CopiesEvidence,
    "start_methods": StartMethodsEvidence,
    "resume": ResumeEvidence,
    "columns": ColumnsEvidence,
}
"""Branch of `Evidence` to its type."""


PHASES_OF_ALL = {"starting", "import"}
"""What every probe needs; the other phases are the probes."""


@dataclass
class Gathered:
    """Everything that came from the child, the last of each kind."""

    branches: dict[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    inferred: dict[str, Inferred] = field(default_factory=dict)
    collate_trials: list[dict[str, Any]] = field(default_factory=list)
    more_failures: tuple[Failure, ...] = ()
    """Those that only the direct questions met."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Probe to the reason why it did not run, or not to its end, although it could have."""
    cut: list[str] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    hangs: list[Hang] = field(default_factory=list)
    resolved: dict[str, Any] = field(default_factory=dict)
    refusal: DldoctorError | None = None
    fault: str | None = None
    """Traceback of a fault of ours without which nothing can be judged."""
    probe_faults: dict[str, str] = field(default_factory=dict)
    """Probe to the traceback of a fault of ours in it; what the others measured stands."""
    phase: str = "starting"
    phase_pid: int | None = None
    done: bool = False
    finished: set[str] = field(default_factory=set)
    """Phases that said that they are done."""
    printed: str = ""
    printed_lines: int = 0
    interrupted: bool = False

    def take(self, event: dict[str, Any]) -> None:
        """File one event."""
        kind = event.pop("kind")
        handler = getattr(self, f"_on_{kind.replace('-', '_')}", None)
        if handler is not None:
            handler(event)

    def _on_evidence(self, event: dict[str, Any]) -> None:
        branch = event["branch"]
        self.branches[branch] = msgspec.convert(event["value"], BRANCHES[branch], strict=False)

    def _on_missing(self, event: dict[str, Any]) -> None:
        self.missing[event["branch"]] = event["reason"]

    def _on_left_out(self, event: dict[str, Any]) -> None:
        self.left_out[event["probe"]] = event["reason"]

    def _on_cut(self, event: dict[str, Any]) -> None:
        self.cut.append(event["sentence"])

    def _on_inferred(self, event: dict[str, Any]) -> None:
        self.inferred = msgspec.convert(event["roles"], dict[str, Inferred])

    def _on_collate_trials(self, event: dict[str, Any]) -> None:
        self.collate_trials = event["trials"]

    def _on_protocol_failures(self, event: dict[str, Any]) -> None:
        self.more_failures = msgspec.convert(event["failures"], tuple[Failure, ...], strict=False)

    def _on_resolved(self, event: dict[str, Any]) -> None:
        self.resolved = event

    def _on_unresolved(self, event: dict[str, Any]) -> None:
        if event.get("names"):
            self.refusal = SeveralLoadersError(event["message"], tuple(event["names"]))
        elif event["error"] == "ChildError":
            self.refusal = ChildError(event["message"])
        else:
            self.refusal = TargetError(event["message"])

    def _on_fault(self, event: dict[str, Any]) -> None:
        if event["phase"] in PHASES_OF_ALL:
            self.fault = event["traceback"]
        else:
            self.probe_faults[event["phase"]] = event["traceback"]

    def _on_phase(self, event: dict[str, Any]) -> None:
        self.phase, self.phase_pid = event["name"], event["pid"]

    def _on_phase_done(self, event: dict[str, Any]) -> None:
        self.finished.add(event["name"])

    def _on_done(self, _event: dict[str, Any]) -> None:
        self.done = True
