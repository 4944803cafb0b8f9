"""Batches and their samples through the collector, in this process and without a loader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.intent import Intent
from dldoctor.probes.labels.collect import LabelCollector
from dldoctor.probes.labels.markers import declared_marker, speakers_of
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.trace import TracedCollate, parted
from dldoctor.probes.labels.vocabulary import adapted
from dldoctor.probes.wrappers import Envelope


def collected(
    batches: Sequence[Sequence[Any]],
    collate: Callable[[Any], Any],
    *,
    tokenizer: Any = None,
    traced: bool = True,
    **intent: Any,
) -> LabelsEvidence:
    """Collate each list of samples and return what the rows show."""
    found = None if tokenizer is None else adapted(tokenizer, "test")
    declared = Intent(**intent)
    marker = declared_marker([("collate", collate)], found)
    collector = LabelCollector(declared, found, vocabulary(declared, found), marker, speakers_of(found), {})
    number = 0
    for samples in batches:
        ids = list(range(number, number + len(samples)))
        number += len(samples)
        envelope = TracedCollate(lambda given: Envelope(collate(given), b""))(list(samples))
        collector.take(envelope.batch, ids, parted(envelope.record)[1] if traced else None)
    collector.settle()
    return collector.evidence()
