"""Whether a batch depends on which of its samples came first."""

from __future__ import annotations

import copy
from typing import Any

from dldoctor.child.fork import RunDiedError
from dldoctor.child.session import Session
from dldoctor.foreign import has
from dldoctor.probes.digest import pin
from dldoctor.probes.labels.forked import asked_aside
from dldoctor.roles.flatten import leaves

SAMPLES = 4
SEED = 101
OTHERS = (211, 307, 401)
"""Seeds under which the same samples are collated again: what changes then is random."""


def order_matters(pipeline: Any, session: Session) -> tuple[str, ...]:
    """Return the fields that go by the first sample; tried in a fork.

    They change when the same samples are collated in reverse, and not when all but the first change places.
    """
    inner = pipeline.torch_loader
    if inner is None or not pipeline.by_index or pipeline.spec.default_collate or session.stopping:
        return ()
    try:
        return tuple(asked_aside(session, lambda: _tried(pipeline, session)))
    except RunDiedError:
        return ()


def _tried(pipeline: Any, session: Session) -> list[str]:
    try:
        count = min(SAMPLES, len(pipeline.dataset))
        same, turned = list(range(count)), list(range(count))[::-1]
        samples = _read(pipeline, session, same)

        def collated(order: list[int], seed: int = SEED) -> dict[str, Any]:
            session.note("collate", order[-1] if order else "")
            # A collate may change what it is given.
            given = [copy.deepcopy(samples[place]) for place in order]
            pin(seed)
            return dict(leaves(pipeline.torch_loader.collate_fn(given)))

        one, turned_over = collated(same), collated(turned)
        again = [collated(same, seed) for seed in (SEED, *OTHERS)]
        # The first sample stays, and all others are turned over: what goes by the first stays too.
        first_kept = collated([*same[:1], *turned[:-1]])
    except Exception:  # noqa: BLE001 - the user's code; what fails here fails in the loader too
        return []
    random = {path for other in again for path in _unlike(one, other, ordered=True)}
    by_any_order = _unlike(one, first_kept, ordered=False)
    return sorted(_unlike(one, turned_over, ordered=False) - by_any_order - random)


def _read(pipeline: Any, session: Session, indices: list[int]) -> list[Any]:
    samples = []
    for index in indices:
        session.note("getitem", index)
        pin(SEED + index)
        samples.append(pipeline.dataset[index])
    return samples


def _unlike(one: dict[str, Any], other: dict[str, Any], *, ordered: bool) -> set[str]:
    """Return the paths that differ in presence, dtype or rows (or `ordered`: in the place of rows)."""
    import torch

    differing = set(one) ^ set(other)
    for path in one.keys() & other.keys():
        a, b = one[path], other[path]
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            continue
        if a.dtype != b.dtype or a.ndim != b.ndim or (ordered and a.shape != b.shape):
            differing.add(path)
        elif a.ndim and a.shape == b.shape and (ordered or _per_row(a, one)):
            rows_alike = all(map(_equal, a, b)) if ordered else _same_rows(a, b)
            differing |= set() if rows_alike else {path}
    return differing


def _same_rows(one: Any, other: Any) -> bool:
    """Whether two tables hold the same rows in any order: a collate may sort its samples, and has ties."""
    left = list(other)
    for row in one:
        place = next((at for at, found in enumerate(left) if _equal(row, found)), None)
        if place is None:
            return False
        left.pop(place)
    return True


def _equal(one: Any, other: Any) -> bool:
    """Whether two rows are equal, but for what summing in another order makes of real numbers."""
    import torch

    if one.is_floating_point():
        return torch.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True)
    return torch.equal(one, other)


def _per_row(tensor: Any, batch: dict[str, Any]) -> bool:
    """Only tables with a row a sample can be turned over; a flat pack has another order by nature."""
    rows = [leaf.shape[0] for leaf in batch.values() if has(leaf, "shape") and len(leaf.shape)]
    return bool(tensor.shape[0] == SAMPLES and rows.count(SAMPLES) == len(rows))
