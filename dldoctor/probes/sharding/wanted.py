"""Which items an epoch should deliver."""

from __future__ import annotations

from dldoctor.evidence.coverage import EpochCoverage
from dldoctor.probes.sharding.given import Given, stored
from dldoctor.probes.sharding.ranks import Ended
from dldoctor.probes.sharding.seen import Seen


def wanted_items(given: Given, ran: list[Ended], streams: bool, reference: Ended | None) -> Seen | None:
    """Return the items that an epoch should deliver; null where nothing tells."""
    if given.reference is not None and reference is not None:
        return given.reference if reference.result["epochs"][0]["complete"] else None
    if streams:
        return None
    if given.by_rank:
        return Seen(given.size, once=b"".join(_all_set(one.result["size"]) for one in ran))
    split = next((one for one in ran if "split_size" in one.result), None)
    if split is not None:
        return stored(split.folder, "split", given.size)
    return Seen(given.size, once=_all_set(given.size))


def in_no_epoch(given: Given, epochs: tuple[EpochCoverage, ...], wanted: Seen | None) -> int | None:
    """Return the expected items that no epoch delivered: the remainder of an order at random is another each time."""
    if wanted is None or len(epochs) < 2 or not all(one.complete for one in epochs):
        return None
    total = Seen(given.size)
    for one in epochs:
        total.merge(given.of_epoch(one.epoch))
    return total.lacking(wanted) * given.scale


def _all_set(size: int) -> bytes:
    whole = b"\xff" * (size // 8)
    return whole + (bytes([(1 << size % 8) - 1]) if size % 8 else b"")
