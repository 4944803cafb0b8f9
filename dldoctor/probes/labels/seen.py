"""One batch as it came out of the loader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dldoctor.finding import SampleId
from dldoctor.probes.labels.trace import Trace


@dataclass(frozen=True)
class Seen:
    """One batch as it came, with what is known of its samples."""

    leaves: Mapping[str, Any]
    samples: tuple[SampleId, ...]
    trace: Trace | None
    number: int = 0

    def sample_paths(self) -> set[str]:
        """Return the fields of the samples that were traced."""
        traces = self.trace.samples if self.trace is not None else ()
        return {path for one in traces for path in (*one.sequences, *one.numbers, *one.texts)}
