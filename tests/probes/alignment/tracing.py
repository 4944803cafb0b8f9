"""Traces batches that a collate makes of a dataset, without any process of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from dldoctor.evidence.alignment import CollateTrace
from dldoctor.probes.alignment.given import Given, lacking_in
from dldoctor.probes.alignment.trace_sums import TraceSums
from dldoctor.probes.provenance.alone import given_alone
from dldoctor.probes.provenance.reordered import another_order
from dldoctor.roles.flatten import leaves


def collated(collate: Callable[[Any], Any], samples: Any) -> dict[str, Any] | None:
    """Return the fields of a batch; None where the collate refuses the samples."""
    torch.manual_seed(3)
    try:
        return dict(leaves(collate(samples)))
    except Exception:
        return None


def trace(dataset: Any, collate: Callable[[Any], Any], batches: int = 3, size: int = 6) -> CollateTrace:
    """Trace the first batches of a dataset."""
    sums = TraceSums()
    for number in range(batches):
        ids = tuple(range(number * size, (number + 1) * size))
        samples = [dataset[index] for index in ids]
        given = Given(
            ids,
            partial(copy.deepcopy, samples),
            lambda at, samples=samples: copy.deepcopy(samples[at]),  # type: ignore[misc]
            lacking_in(samples),
        )
        batch = collated(collate, given.fresh())
        assert batch is not None
        alone = [given_alone(partial(given.one, at), partial(collated, collate)) for at in range(size)]
        if not any(alone):
            order = another_order(size)
            sums.add_reordered(batch, collated(collate, [given.one(at) for at in order]), size)
        sums.add(given, batch, alone)
    return sums.result()
