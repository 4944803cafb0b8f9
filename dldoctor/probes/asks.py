"""What the sampler of a loader hands to ``__getitem__``, where that is not one int.

With ``batch_size=None`` a sampler may give lists, from which the dataset makes whole batches; others give names,
slices, or an index with a size. Such a dataset need not take a plain int, so none is read by an index of ours.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.foreign import attribute, has
from dldoctor.targets import Pipeline

KEYS = 8
SECONDS = 5
"""Time for a sampler of the user's to give its first keys."""


def with_asks(pipeline: Pipeline, staging: str) -> Pipeline:
    """Return the pipeline with what its sampler asks for; the sampler itself is only asked in a fork."""
    loader = pipeline.torch_loader
    if loader is None or pipeline.spec.kind != "map" or _gives_ints(loader):
        return pipeline
    try:
        return replace(pipeline, asks=run_in_fork(staging, lambda: other_than_int(loader)))
    except (RunDiedError, OSError):
        return pipeline


def other_than_int(loader: Any) -> str | None:
    """Return the type of the first key that is not one int; None where there is none among the first."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
    try:
        return next((type(key).__name__ for key in islice(keys_of(loader), KEYS) if not _is_int(key)), None)
    except Exception:  # noqa: BLE001 - the user's sampler; dry-run tells of it
        return None


def keys_of(loader: Any) -> Iterator[Any]:
    """Yield what one epoch of the sampler hands to ``__getitem__``."""
    batches = attribute(loader, "batch_sampler", None)
    if batches is None:
        yield from attribute(loader, "sampler", None) or ()
        return
    for batch in batches:
        yield from batch


def batch_of(key: Any) -> list[Any] | None:
    """Return the numbers in a key that is a whole batch of them; None where it is something else.

    A tuple is none: an index and a size, say.
    """
    found = key.tolist() if has(type(key), "tolist") and attribute(key, "ndim", 0) == 1 else key
    if isinstance(found, list) and found and all(_is_int(one) for one in found):
        return found
    return None


def _is_int(key: Any) -> bool:
    if isinstance(key, int):
        return True
    try:
        key.__index__()
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return False
    return not attribute(key, "ndim", 0)


def _gives_ints(loader: Any) -> bool:
    """Whether the samplers are torch's own, which need not be asked."""
    from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler, WeightedRandomSampler
    from torch.utils.data.distributed import DistributedSampler

    source = attribute(loader, "batch_sampler", None)
    if type(source) is BatchSampler:
        source = source.sampler
    elif source is None:
        source = attribute(loader, "sampler", None)
    ours = (RandomSampler, SequentialSampler, WeightedRandomSampler, DistributedSampler, range)
    return type(source) in ours
