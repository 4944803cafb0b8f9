"""Where each item of a loader lies: which innermost dataset, which index in it."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, NamedTuple

from dldoctor.foreign import attribute, has
from dldoctor.probes.asks import batch_of
from dldoctor.probes.index import plain_index
from dldoctor.targets import Pipeline

SECONDS = 4.0
"""Time to ask a sampler for what it draws."""
MOST = 5_000_000
TRIED = 6
"""Items that are read to see what a wrapper asks of the dataset in it."""
DEPTH = 6
_OWN = "torch.utils.data"


class Places(NamedTuple):
    """The items of one loader."""

    indices: list[Any]
    """Different indices that an epoch draws, in order of their first draw."""
    leaves: list[Any]
    """The innermost datasets."""
    at: list[tuple[int, Any]]
    """Of each item, which of `leaves` and the index in it."""
    whole: bool
    """Whether the sampler was asked to its end."""


Step = Callable[[Any], tuple[Any, Any]]
"""From an index to the dataset inside, and the index there."""


def places_of(pipeline: Pipeline) -> Places | None:
    """Return where the items of a map-style loader lie; None where it has none that can be told."""
    dataset = pipeline.dataset
    if dataset is None or pipeline.spec.kind != "map":
        return None
    indices, whole = _drawn(pipeline.torch_loader, dataset)
    # What a wrapper asks is seen by reading items, which a dataset that is asked for lists need not bear.
    steps: dict[int, Step | None] = {} if pipeline.asks is None else {id(dataset): None}
    leaves: list[Any] = []
    numbers: dict[int, int] = {}
    at = []
    for index in indices:
        inner, place = _innermost(dataset, index, steps)
        if id(inner) not in numbers:
            numbers[id(inner)] = len(leaves)
            leaves.append(inner)
        at.append((numbers[id(inner)], plain_index(place)))
    return Places(indices, leaves, at, whole)


def _innermost(dataset: Any, index: Any, steps: dict[int, Step | None]) -> tuple[Any, Any]:
    """Go through wrappers as far as they can be looked through."""
    inner, place = dataset, index
    try:
        for _ in range(DEPTH):
            key = id(inner)
            if key not in steps:
                steps[key] = _step(inner)
            step = steps[key]
            if step is None:
                break
            inner, place = step(place)
    except Exception:  # noqa: BLE001 - the user's lists; dry-run tells of an index that they lack
        return dataset, index
    return inner, place


def _drawn(loader: Any, dataset: Any) -> tuple[list[Any], bool]:
    """Return the different indices of one epoch, and whether that is all of it."""
    until = time.monotonic() + SECONDS
    found: dict[Any, None] = {}
    source = attribute(loader, "batch_sampler", None)
    if source is not None:
        batches = source
    else:
        sampler = attribute(loader, "sampler", None)
        batches = (batch_of(one) or [one] for one in (() if sampler is None else sampler))
    try:
        for batch in batches:
            for index in batch:
                found[plain_index(index)] = None
            if len(found) >= MOST or time.monotonic() > until:
                return list(found), False
    except Exception:  # noqa: BLE001 - the user's sampler; dry-run tells of it
        return list(range(length_of(dataset) or 0)), True
    return list(found), True


def length_of(value: Any) -> int | None:
    """Return how many items an object of the user's has; None where it does not say."""
    try:
        return len(value)
    except Exception:  # noqa: BLE001 - the user's code
        return None


def is_column(value: Any) -> bool:
    """Whether an object holds rows by number: a list, or an array of any kind."""
    return isinstance(value, list | tuple) or (has(value, "dtype") and bool(attribute(value, "ndim", 0)))


def _step(outer: Any) -> Step | None:
    """Return how a wrapper finds its items, where that is known or seen."""
    kind = type(outer)
    own = kind.__module__.startswith(_OWN)
    if own and kind.__name__ == "Subset":
        return lambda index: (outer.dataset, outer.indices[index])
    if own and kind.__name__ == "ConcatDataset":
        ends = list(accumulate(len(one) for one in outer.datasets))
        return lambda index: _in_row(outer.datasets, ends, index)
    held = attribute(outer, "__dict__", {})
    for inner in held.values():
        if _is_dataset(inner):
            for step in _guesses(outer, inner, held):
                if _holds(outer, inner, step):
                    return step
    return None


def _in_row(datasets: list[Any], ends: list[int], index: int) -> tuple[Any, int]:
    number = bisect_right(ends, index)
    return datasets[number], index - (ends[number - 1] if number else 0)


def _is_dataset(value: Any) -> bool:
    from torch.utils.data import Dataset

    return isinstance(value, Dataset) and has(type(value), "__getitem__")


def _guesses(outer: Any, inner: Any, held: dict[str, Any]) -> Iterator[Step]:
    count, inside = length_of(outer), length_of(inner)
    if count is None:
        return
    for rows in held.values():
        if is_column(rows) and length_of(rows) == count:
            yield _by_rows(inner, rows)
    if count == inside:
        yield lambda index: (inner, index)


def _by_rows(inner: Any, rows: Any) -> Step:
    return lambda index: (inner, plain_index(rows[index]))


def _holds(outer: Any, inner: Any, step: Step) -> bool:
    """Whether reading some items asks the dataset inside for just the index that `step` says."""
    count = length_of(outer) or 0
    for index in dict.fromkeys(count * k // TRIED for k in range(TRIED)):
        if index >= count:
            continue
        try:
            wanted = step(index)[1]
            with _asked(inner) as asked:
                outer[index]
        except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
            return False
        if set(asked) != {wanted}:
            return False
    return count > 0


@contextmanager
def _asked(inner: Any) -> Iterator[list[Any]]:
    """Note what a dataset is asked for meanwhile."""
    kind = type(inner)
    original = kind.__getitem__
    found: list[Any] = []

    def noting(self: Any, index: Any) -> Any:
        if self is inner:
            found.append(plain_index(index))
        return original(self, index)

    kind.__getitem__ = noting
    try:
        yield found
    finally:
        kind.__getitem__ = original
