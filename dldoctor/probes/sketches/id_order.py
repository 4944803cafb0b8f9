"""One order for all kinds of sample ids, so that merged summaries do not depend on arrival."""

from __future__ import annotations

from dldoctor.finding import SampleId


def id_order(sample: SampleId) -> tuple[int, int, int, str]:
    """Return a sort key: indices by number, then stream positions, then texts."""
    if isinstance(sample, int):
        return (0, sample, 0, "")
    if isinstance(sample, str):
        return (2, 0, 0, sample)
    return (1, sample.worker, sample.ordinal, "")
