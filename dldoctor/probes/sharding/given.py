"""What each rank was given, with items numbered alike for all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dldoctor.evidence.coverage import RankEpoch, WorkerShare
from dldoctor.probes.sharding.content import is_numbered_by_rank
from dldoctor.probes.sharding.numbering import Numbers, choose
from dldoctor.probes.sharding.ranks import Ended
from dldoctor.probes.sharding.seen import Seen
from dldoctor.probes.sharding.streams import WorkerLog, worker_logs


@dataclass
class Given:
    """Counts of items by rank and epoch."""

    size: int
    by: Literal["index", "own-id", "content", "nothing"]
    name: Callable[[int], str]
    """How a person calls an item."""
    seen: dict[tuple[int, int], Seen] = field(default_factory=dict)
    """By rank and epoch."""
    workers: dict[tuple[int, int], Seen] = field(default_factory=dict)
    """By rank and worker, in the first epoch; streams only."""
    left: dict[int, Seen] = field(default_factory=dict)
    """By epoch: read and not delivered, because the last batch of a worker was not full."""
    epochs: dict[int, tuple[RankEpoch, ...]] = field(default_factory=dict)
    reference: Seen | None = None
    by_rank: bool = False
    """Each rank's dataset has items of its own under the same numbers."""
    scale: int = 1
    """Each counted item stands for so many."""

    def of_epoch(self, epoch: int) -> Seen:
        """Return the counts of all ranks together."""
        total = Seen(self.size)
        for (_, number), seen in self.seen.items():
            if number == epoch:
                total.merge(seen)
        return total


def stored(folder: str, name: str, size: int) -> Seen:
    """Return counts that a rank left in a file."""
    raw = Path(os.path.join(folder, name)).read_bytes()
    half = len(raw) // 2
    return Seen(size, raw[:half], raw[half:])


def from_indices(ended: list[Ended], reference: Ended | None) -> Given:
    """Put together what map-style ranks drew."""
    ran = [one for one in ended if one.result.get("kind") == "map"]
    if is_numbered_by_rank(ran):
        return _numbered_by_rank(ran)
    size = max(one.result["size"] for one in ran)
    given = Given(size, "index", str)
    for one in ran:
        _take(
            given,
            one,
            {
                epoch["epoch"]: stored(one.folder, f"seen-{epoch['epoch']}", size)
                for epoch in one.result["epochs"]
            },
        )
    if reference is not None and reference.result.get("size") == size:
        given.reference = stored(reference.folder, "seen-0", size)
    return given


def _take(given: Given, one: Ended, seen: dict[int, Seen]) -> None:
    given.seen.update({(one.rank, number): own for number, own in seen.items()})
    given.epochs[one.rank] = tuple(
        _index_epoch(epoch, seen[epoch["epoch"]]) for epoch in one.result["epochs"]
    )


def _numbered_by_rank(ran: list[Ended]) -> Given:
    """Count the items of each rank as its own: one after the other, each rank's from a whole byte on."""
    sizes = [-(-one.result["size"] // 8) for one in ran]
    starts = [sum(sizes[:place]) for place in range(len(ran))]
    places = list(zip(ran, starts, strict=True))

    def name(number: int) -> str:
        one, start = next(pair for pair in reversed(places) if 8 * pair[1] <= number)
        return f"index {number - 8 * start} of rank {one.rank}"

    given = Given(8 * sum(sizes), "content", name, by_rank=True)
    for one, start in places:
        seen = {}
        for epoch in one.result["epochs"]:
            own = stored(one.folder, f"seen-{epoch['epoch']}", one.result["size"])
            before, after = bytes(start), bytes(sum(sizes) - start - len(own.once))
            seen[epoch["epoch"]] = Seen(
                given.size, before + bytes(own.once) + after, before + bytes(own.more) + after
            )
        _take(given, one, seen)
    return given


def _index_epoch(epoch: dict[str, Any], seen: Seen) -> RankEpoch:
    drawn = epoch["drawn"]
    return RankEpoch(
        epoch=epoch["epoch"],
        items=epoch["items"],
        batches=epoch["batches"],
        distinct=seen.distinct,
        order=epoch["order"],
        first=tuple(str(index) for index in epoch["first"]),
        tail=epoch["tail"],
        dropped=max(0, drawn - epoch["items"]) if drawn is not None and epoch["complete"] else 0,
        complete=epoch["complete"],
        elapsed_ns=epoch["elapsed_ns"],
        workers=tuple(
            WorkerShare(
                int(worker), own["items"], own["batches"], own["tail"], 0, tuple(str(i) for i in own["first"])
            )
            for worker, own in sorted(epoch["workers"].items(), key=lambda pair: int(pair[0]))
        ),
    )


def from_streams(ended: list[Ended], reference: Ended | None) -> Given:
    """Put together what the workers of streaming ranks noted."""
    ran = [one for one in ended if one.result.get("kind") == "iterable"]
    logs = {
        (one.rank, epoch["epoch"]): worker_logs(Path(one.folder), epoch["epoch"])
        for one in ran
        for epoch in one.result["epochs"]
    }
    alone = worker_logs(Path(reference.folder), 0) if reference is not None else {}
    numbers = choose(logs, list(alone.values()))
    given = Given(numbers.size, numbers.by, numbers.name, scale=numbers.scale)
    if alone:
        given.reference = numbers.seen([log.keys for log in alone.values()])
        given.reference.merge(numbers.seen([log.left for log in alone.values()]))
    for one in ran:
        epochs = []
        for epoch in one.result["epochs"]:
            own = logs[one.rank, epoch["epoch"]]
            epochs.append(_stream_epoch(given, one.rank, epoch, own, numbers))
        given.epochs[one.rank] = tuple(epochs)
    return given


def _stream_epoch(
    given: Given, rank: int, epoch: dict[str, Any], logs: dict[int, WorkerLog], numbers: Numbers
) -> RankEpoch:
    number = epoch["epoch"]
    total = Seen(given.size)
    for worker, log in logs.items():
        own = numbers.seen([log.keys])
        total.merge(own)
        if number == 0:
            given.workers[rank, worker] = own
        given.left.setdefault(number, Seen(given.size)).merge(numbers.seen([log.left]))
    given.seen[rank, number] = total
    items = sum(sum(log.sizes) for log in logs.values())
    return RankEpoch(
        epoch=number,
        items=items,
        batches=epoch["batches"],
        distinct=total.distinct * numbers.scale,
        order=numbers.order([log.keys for _, log in sorted(logs.items())]),
        first=_first(logs),
        tail=min((log.sizes[-1] for log in logs.values() if log.sizes), default=0),
        dropped=sum(len(log.left) // 3 for log in logs.values()),
        complete=epoch["complete"],
        elapsed_ns=epoch["elapsed_ns"],
        workers=tuple(_share(worker, log) for worker, log in sorted(logs.items())),
    )


def _share(worker: int, log: WorkerLog) -> WorkerShare:
    tail = log.sizes[-1] if log.sizes else 0
    return WorkerShare(worker, sum(log.sizes), len(log.sizes), tail, len(log.left) // 3, tuple(log.first[:4]))


def _first(logs: dict[int, WorkerLog]) -> tuple[str, ...]:
    return next((tuple(log.first[:8]) for _, log in sorted(logs.items()) if log.first), ())
