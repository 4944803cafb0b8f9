"""WHAT was measured: frozen data without torch and without user code.

Evidence is one tree, `Evidence`, that is also the ``evidence`` object of the JSON report. A probe
fills one branch; a check reads branches; a branch that was not measured is ``None`` and
`Evidence.missing` says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dldoctor.evidence.alignment import AlignmentEvidence
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.evidence.batches import BatchesEvidence
from dldoctor.evidence.coverage import CoverageEvidence
from dldoctor.evidence.environment import EnvironmentEvidence, NeedsEvidence
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.evidence.memory import MemoryEvidence
from dldoctor.evidence.outcome import Failure, OutcomeEvidence
from dldoctor.evidence.overlap import OverlapEvidence
from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.evidence.probe_pictures import ProbePicturesEvidence
from dldoctor.evidence.profile import ProfileEvidence
from dldoctor.evidence.protocol import ProtocolEvidence
from dldoctor.evidence.row_media import RowMediaEvidence
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.evidence.splits import ClassMaps, SplitsEvidence
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


@dataclass(frozen=True)
class Evidence:
    """All that one run measured."""

    loader: LoaderSpec | None = None
    """The settings that everything below was measured under."""
    machine: MachineEvidence | None = None
    outcome: OutcomeEvidence = field(default_factory=OutcomeEvidence)
    """How the run went: deaths, hangs, what was cut short."""
    fields: tuple[FieldEvidence, ...] = ()
    """Statistics of each field of the samples, then of the batches (`stage` tells)."""
    failures: tuple[Failure, ...] = ()
    """Exceptions of the user's code, one entry a kind and place."""
    samples: SamplesEvidence | None = None
    batches: BatchesEvidence | None = None
    protocol: ProtocolEvidence | None = None
    archives: ArchiveEvidence | None = None
    timing: TimingEvidence | None = None
    coverage: CoverageEvidence | None = None
    labels: LabelsEvidence | None = None
    alignment: AlignmentEvidence | None = None
    placeholders: PlaceholdersEvidence | None = None
    row_media: RowMediaEvidence | None = None
    """Null where no rows to look at were asked for."""
    pictures: ProbePicturesEvidence | None = None
    profile: ProfileEvidence | None = None
    memory: MemoryEvidence | None = None
    needs: NeedsEvidence | None = None
    environment: EnvironmentEvidence | None = None
    randomness: RandomnessEvidence | None = None
    reproduction: ReproductionEvidence | None = None
    worker_data: WorkerDataEvidence | None = None
    handles: HandlesEvidence | None = None
    copies: CopiesEvidence | None = None
    start_methods: StartMethodsEvidence | None = None
    resume: ResumeEvidence | None = None
    columns: ColumnsEvidence | None = None
    sweep: SweepEvidence | None = None
    class_maps: ClassMaps | None = None
    overlap: OverlapEvidence | None = None
    """Of the first side of a comparison, until `splits` has it."""
    splits: SplitsEvidence | None = None
    """Of `compare` alone: two loaders beside each other."""
    missing: dict[str, str] = field(default_factory=dict)
    """Branch name to the reason why it was not measured."""
    left_out: tuple[str, ...] = ()
    """Branches of `missing` that could have been measured, had there been time or a declaration, or no fault
    of dldoctor's own."""

    def sample_field(self, path: str) -> FieldEvidence | None:
        """Return the statistics of a field of the samples, if it was seen."""
        return next((f for f in self.fields if f.stage == "sample" and f.path == path), None)

    def batch_field(self, path: str) -> FieldEvidence | None:
        """Return the statistics of a field of the batches, if it was seen."""
        return next((f for f in self.fields if f.stage == "batch" and f.path == path), None)

    @property
    def sample_fields(self) -> tuple[FieldEvidence, ...]:
        """The fields of the samples, in the order in which they were first seen."""
        return tuple(f for f in self.fields if f.stage == "sample")

    @property
    def batch_fields(self) -> tuple[FieldEvidence, ...]:
        """The fields of the batches, in the order in which they were first seen."""
        return tuple(f for f in self.fields if f.stage == "batch")
