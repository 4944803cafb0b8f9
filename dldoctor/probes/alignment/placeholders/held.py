"""What is kept of the batches until all are known, and what they taught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dldoctor.finding import SampleId
from dldoctor.probes.alignment.placeholders.media import MediaField
from dldoctor.probes.alignment.placeholders.ties import Hypothesis


@dataclass(frozen=True)
class Held:
    """What is kept of one batch."""

    number: int
    samples: tuple[SampleId, ...]
    tables: Mapping[str, Any]
    """Path of token ids to the table."""
    real: Mapping[str, Any]
    """Path of token ids to flags of what is no padding."""
    media: tuple[MediaField, ...]
    types: Mapping[str, Mapping[str, int]]
    """Path of token ids to the id at the positions of each medium, where a field marks them."""
    counts: tuple[Any, ...] = ()
    notes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Learned:
    """The outcome for one medium."""

    tokens: str
    hypothesis: Hypothesis | None
    why: str
