"""A package with checks of its own: `pyproject.toml` would name it under ``dldoctor.checks``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks import Case, Check
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class BatchTooLarge(Check):
    """Batches hold more samples than the cluster was sized for.

    ## Why it hurts
    The step runs out of memory on the smallest machine.

    ## What to do
    Make batches smaller and accumulate gradients.

    ## When it is wrong
    On machines that are larger.
    """

    rule = "ACME101"
    name = "batch-too-large"
    level = Level.WARNING
    needs = ("loader",)

    most: int = 64
    """Samples of a batch that fit."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        spec = case.evidence.loader
        if spec is not None and spec.batch_size is not None and spec.batch_size > self.most:
            yield self.finding(
                f"batches hold {spec.batch_size} samples, and {self.most} fit",
                advice=f"Set `batch_size={self.most}`.",
                batch_size=spec.batch_size,
            )


CHECKS = (BatchTooLarge,)
