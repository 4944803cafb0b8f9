"""Whether a sample stays what it was while others are read: one that does not cannot be traced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.given import read_one
from dldoctor.probes.digest import digests
from dldoctor.targets import Pipeline

SAMPLES = 16


def written_over(pipeline: Pipeline, session: Session, ids: Sequence[SampleId]) -> bool:
    """Read the samples of one batch and tell whether any was another by the time the last was read."""
    read = [(sample, digests(sample)) for sample in _samples(pipeline, session, ids[:SAMPLES])]
    return any(digests(sample) != before for sample, before in read)


def _samples(pipeline: Pipeline, session: Session, ids: Sequence[SampleId]) -> Iterator[Any]:
    if pipeline.spec.kind == "map":
        for index in ids:
            one = read_one(pipeline, session, index)
            if one is not None:
                yield one[0]
        return
    try:
        yield from islice(iter(pipeline.dataset), len(ids))  # type: ignore[arg-type]  # a stream
    except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
        return
