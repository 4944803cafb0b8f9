"""How much is trained of each source that the samples name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dldoctor.evidence.labels import SourceShare
from dldoctor.probes.labels.trace import SampleTrace

NAMES = frozenset({
    "source", "data_source", "dataset", "dataset_name", "data_name", "origin", "domain", "subset", "corpus",
    "task", "task_name", "lang", "language", "category",
})  # fmt: skip
"""Names that fields with the origin of a sample have in public data."""
MOST = 24
"""A field of more values tells samples apart, not sources."""


class SourceSums:
    """Rows, real tokens and targets by the value of a field of the samples."""

    def __init__(self, declared: Mapping[str, str]) -> None:
        """Start at nothing; `declared` has the fields that the user named by role."""
        self._declared = declared.get("group")
        self._sums: dict[str, dict[str, list[int]]] = {}

    def add(self, sources: Sequence[SampleTrace | None], real: Any, targets: Any) -> None:
        """Add the rows of one batch: the sample of each, and flags of real tokens and of targets."""
        reals = real.sum(1).tolist()
        trained = [0] * len(reals) if targets is None else (real & targets).sum(1).tolist()
        for trace, tokens, learned in zip(sources, reals, trained, strict=False):
            for path, value in _named(trace, self._declared):
                values = self._sums.setdefault(path, {})
                if value in values or len(values) <= MOST:
                    total = values.setdefault(value, [0, 0, 0])
                    total[0] += 1
                    total[1] += tokens
                    total[2] += learned

    def evidence(self) -> tuple[SourceShare, ...]:
        """Return the shares of the fields that tell several sources apart, the largest source first."""
        found = []
        for path, values in self._sums.items():
            if 2 <= len(values) <= MOST:
                ranked = sorted(values.items(), key=lambda item: -item[1][1])
                found += [SourceShare(path, value, *total) for value, total in ranked]
        return tuple(found)


def _named(trace: SampleTrace | None, declared: str | None) -> Iterable[tuple[str, str]]:
    if trace is None:
        return
    for path, value in trace.texts.items():
        if path == declared or (declared is None and path.rpartition(".")[2].lower() in NAMES):
            yield path, value
    if declared is not None and declared in trace.numbers:
        yield declared, str(trace.numbers[declared])
