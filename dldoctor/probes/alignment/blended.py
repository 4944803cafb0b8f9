"""Whether a mask of two values comes out of a transform with values between them."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.paired_transforms import BlendedMask
from dldoctor.finding import SampleId
from dldoctor.probes.look import as_tensor

FEWEST = 2
"""Different values between the two: a single one may be a border that is drawn on purpose."""
KEPT = 5


def blended_mask(sample: SampleId, mask: Any) -> tuple[BlendedMask | None] | None:
    """Return what a mask of whole numbers holds between its two commonest values; None where it is none."""
    import torch

    table = as_tensor(mask)
    if table is None or table.is_floating_point() or table.dtype == torch.bool:
        return None
    plane = table.detach().squeeze()
    if plane.ndim != 2:
        return None
    values, counts = torch.unique(plane.long(), return_counts=True)
    if len(values) < 2:
        return None
    low, high = sorted(int(values[at]) for at in counts.argsort(descending=True)[:2])
    between = (values > low) & (values < high)
    if int(between.sum()) < FEWEST:
        return (None,)
    share = float(counts[between].sum()) / plane.numel()
    return (BlendedMask(sample, low, high, tuple(values[between].tolist()[:KEPT]), share),)
