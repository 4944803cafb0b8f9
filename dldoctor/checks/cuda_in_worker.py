"""DL512 cuda-in-worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.phrases import listed
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CudaInWorker(Check):
    """The dataset holds tensors on a device, or its samples are there, and workers read it.

    ## Why it hurts
    A forked worker cannot use CUDA that its parent has initialised ("Cannot re-initialize CUDA in forked
    subprocess"). A spawned one opens a context of its own, some hundred megabytes of the GPU each, and
    handing CUDA tensors between processes is slow and easy to get wrong.

    ## What to do
    Keep data on the CPU (`torch.load(path, map_location="cpu")`), let the loader pin it, and move the
    batch in the training loop: `batch.to(device, non_blocking=True)`.

    ## When it is wrong
    Without workers tensors may lie where they like, and nothing is reported.
    """

    rule = "DL512"
    name = "cuda-in-worker"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "handles")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the device of stored and delivered tensors."""
        measured, spec = case.evidence.handles, case.evidence.loader
        assert measured is not None
        assert spec is not None
        if not spec.num_workers or not measured.on_device:
            return
        named = listed([f"`{path}` ({device})" for path, device in measured.on_device], shown=4)
        verb = "lies" if len(measured.on_device) == 1 else "lie"
        yield self.finding(
            f"{named} {verb} on a device, and {spec.num_workers} workers read the dataset",
            advice="Keep the data on the CPU, and move the batch in the training loop.",
            where=spec.dataset_ref,
            tensors=[{"path": path, "device": device} for path, device in measured.on_device],
            workers=spec.num_workers,
            start_method=spec.start_method,
        )
