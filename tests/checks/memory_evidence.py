"""Evidence of memory, made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.evidence.memory import FinePoint, Growth, MemoryEvidence, MemoryPoint, ProcessMemory, Slope
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent

MB, GB = 10**6, 10**9
SPEC = LoaderSpec(
    "map", "torch.DataLoader", "Set", "loader", dataset_length=10_000, batch_size=8, num_workers=2,
    prefetch_factor=2, persistent_workers=True, start_method="fork",
)  # fmt: skip
MACHINE = MachineEvidence(
    4, 4, 10 * GB, 10 * GB, shm_free_bytes=GB, shm_total_bytes=GB, open_files_limit=1024
)
STILL = Slope(0.0, 0.0, 0.0)


def process(
    worker: int | None = 0, verdict: Any = "plateau", slope: float = 0.0, **more: Any
) -> ProcessMemory:
    """Return one process with a slope in bytes per 1,000 samples."""
    rate = Slope(slope, 0.9 * slope, 1.1 * slope)
    values: dict[str, Any] = {
        "growth": Growth(
            verdict, per_1000_samples=rate, first_per_1000_samples=slope, rise_bytes=round(slope)
        ),
        "descriptors_per_1000_samples": STILL,
        "series": (MemoryPoint(1, 0, 8, 0.0, 100 * MB, 300 * MB, 150 * MB, 200 * MB, 20, 3),),
        "fine": tuple(FinePoint(i + 1, i // 4, i // 4, 0, 8 * i, 100 * MB, 20, 3) for i in range(12)),
        **more,
    }
    return ProcessMemory("main" if worker is None else "worker", worker, **values)


def memory(*processes: ProcessMemory, **more: Any) -> MemoryEvidence:
    """Return a run of three epochs."""
    values: dict[str, Any] = {
        "verdict": "plateau", "epochs": 3, "turns": 3, "batches_per_turn": 32, "samples_per_turn": 256,
        "persistent": True, "peak_bytes": 500 * MB, "main_peak_bytes": 200 * MB, "worker_peak_bytes": 150 * MB,
        "batch_bytes": MB, "batch_tensors": 2, **more,
    }  # fmt: skip
    return MemoryEvidence(processes=processes or (process(None), process(0), process(1)), **values)


def judged(
    check: Check,
    found: MemoryEvidence | None,
    *,
    spec: LoaderSpec = SPEC,
    machine: MachineEvidence = MACHINE,
    intent: Intent = Intent(),
    **branches: Any,
) -> list[Any]:
    """Return status and reason, or level and finding, of what a check says."""
    evidence = replace(Evidence(loader=spec, machine=machine, memory=found), **branches)
    return [
        (one.status, one.reason) if isinstance(one, Unjudged) else (one.level.value, one)
        for one in check.judge(Case(evidence, intent))
    ]
