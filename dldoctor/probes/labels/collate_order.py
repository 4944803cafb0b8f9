"""Whether a batch depends on which of its samples came first."""

from __future__ import annotations

from typing import Any

from dldoctor.child.fork import RunDiedError
from dldoctor.child.session import Session
from dldoctor.foreign import has
from dldoctor.probes.digest import pin
from dldoctor.probes.labels.forked import asked_aside
from dldoctor.roles.flatten import leaves

SAMPLES = 4
SEED = 101


def order_matters(pipeline: Any, session: Session) -> tuple[str, ...]:
    """Return the fields that change when the same samples are collated in reverse; tried in a fork."""
    inner = pipeline.torch_loader
    if inner is None or pipeline.spec.kind != "map" or pipeline.spec.default_collate or session.stopping:
        return ()
    try:
        return tuple(asked_aside(session, lambda: _tried(pipeline, session)))
    except RunDiedError:
        return ()


def _tried(pipeline: Any, session: Session) -> list[str]:
    try:
        indices = list(range(min(SAMPLES, len(pipeline.dataset))))
        batches = [_collated(pipeline, session, order) for order in (indices, indices, indices[::-1])]
    except Exception:  # noqa: BLE001 - the user's code; what fails here fails in the loader too
        return []
    one, again, other = batches
    if _alike(one, again, turn=False):
        return []  # not even equal to itself: random numbers, or state
    return _alike(one, other, turn=True)


def _collated(pipeline: Any, session: Session, order: list[int]) -> dict[str, Any]:
    samples = []
    for index in order:
        session.note("getitem", index)
        pin(SEED + index)
        samples.append(pipeline.dataset[index])
    session.note("collate", order[-1] if order else "")
    pin(SEED)
    return dict(leaves(pipeline.torch_loader.collate_fn(samples)))


def _alike(one: dict[str, Any], other: dict[str, Any], *, turn: bool) -> list[str]:
    """Return the paths that differ in presence, dtype or rows."""
    import torch

    differing = sorted(set(one) ^ set(other))
    for path in one.keys() & other.keys():
        a, b = one[path], other[path]
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            continue
        if (
            a.dtype != b.dtype
            or a.ndim != b.ndim
            or (
                a.ndim
                and a.shape == b.shape
                and not torch.equal(a, b.flip(0) if turn else b)
                and _per_row(a, one)
            )
        ):
            differing.append(path)
    return sorted(differing)


def _per_row(tensor: Any, batch: dict[str, Any]) -> bool:
    """Only tables with a row a sample can be turned over; a flat pack has another order by nature."""
    rows = [leaf.shape[0] for leaf in batch.values() if has(leaf, "shape") and len(leaf.shape)]
    return bool(tensor.shape[0] == SAMPLES and rows.count(SAMPLES) == len(rows))
