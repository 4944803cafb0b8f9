"""Exceptions of the user's code, one entry a kind and place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from dldoctor.evidence.outcome import Failure
from dldoctor.finding import SampleId, SourceRef

_SAMPLES_KEPT = 50
_KINDS_KEPT = 50


class FailureCollector:
    """Groups failures by stage, kind and place."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[tuple[Any, ...], Failure] = {}
        self.other_kinds = 0

    def add(
        self,
        stage: Literal["sample", "collate", "loader"],
        samples: tuple[SampleId, ...],
        failure: dict[str, Any],
        batch: int | None = None,
        phase: str = "loader",
    ) -> None:
        """Count one exception in batch number `batch`; `failure` is of `frames.describe_failure`."""
        place = (failure["path"], failure["line"], failure["symbol"])
        key = (stage, failure["kind"], place)
        known = self._found.get(key)
        if known is not None:
            kept = known.samples if stage == "collate" else (known.samples + samples)[:_SAMPLES_KEPT]
            self._found[key] = replace(known, count=known.count + 1, samples=kept)
            return
        if len(self._found) >= _KINDS_KEPT:
            self.other_kinds += 1
            return
        path, line, symbol = place
        self._found[key] = Failure(
            stage=stage,
            id=samples[0] if samples else None,
            error=failure["error"],
            kind=failure["kind"],
            where=SourceRef(path, line or None, symbol or None) if path else None,
            samples=samples[:_SAMPLES_KEPT],
            raised_by_user=failure["mine"],
            phase=phase,
            batch=batch,
            retried=bool(failure.get("retried")),
        )

    @property
    def count(self) -> int:
        """Exceptions so far."""
        return sum(failure.count for failure in self._found.values()) + self.other_kinds

    def evidence(self) -> tuple[Failure, ...]:
        """Return all kinds, the commonest first."""
        return tuple(sorted(self._found.values(), key=lambda failure: -failure.count))
