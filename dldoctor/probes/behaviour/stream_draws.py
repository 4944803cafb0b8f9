"""Which random numbers the samples of a stream are made with, and whether workers or epochs repeat them.

Workers read different parts, so their values cannot be compared. Instead one worker reads its part once
more with one generator disturbed: where the same samples come with other content, that generator makes
it. Generators that decide only which samples come, and in which order, may be alike in all workers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dldoctor.child.session import Session
from dldoctor.evidence.workers import Draws, EvalValue
from dldoctor.finding import StreamPosition
from dldoctor.probes.behaviour.apart import apart
from dldoctor.probes.behaviour.epochs import read_epochs
from dldoctor.probes.behaviour.graph import roots
from dldoctor.probes.behaviour.likeness import Reading, drawn_fields
from dldoctor.probes.behaviour.stand_in import config_of
from dldoctor.probes.behaviour.stream_reads import EVERYTHING, GLOBAL, Record, StreamReads
from dldoctor.probes.digest import pin
from dldoctor.targets import Pipeline

TRIED = 8
"""Generators that are disturbed one by one."""


@dataclass(frozen=True)
class StreamDraws:
    """What was found."""

    draws: tuple[Draws, ...] = ()
    failed: str | None = None
    eval_values: tuple[EvalValue, ...] = ()
    """Fields of the same samples that differ between two epochs."""


class StreamExperiment:
    """Reads the beginning of a stream in several workers, again and again."""

    def __init__(
        self, pipeline: Pipeline, session: Session, workers: int, method: str, seeds: tuple[int, int]
    ) -> None:
        """Prepare; nothing is read yet."""
        self.pipeline, self.session = pipeline, session
        self.workers, self.method, self.seeds = workers, method, seeds

    def run(self, epochs: int) -> StreamDraws:
        """Read, disturb, compare."""
        both = apart(self.session, lambda: self._read(self.seeds[0], epochs))
        every = [record for epoch in both for record in epoch]
        failed = next((one["failed"] for one in every if one.get("failed")), None)
        if failed or not every:
            return StreamDraws(failed=failed or "no worker gave an answer")
        place = max(range(len(both[0])), key=lambda place: len(both[0][place]["marks"]))
        first = both[0][place]
        again = self._once(first["worker"], None)
        fields = self._drawn(first, again, EVERYTHING)
        found = [_field(path, first) for path in sorted(fields)]
        for one in [one for path in _paths(first) if _repeats(one := _compared(path, both))][:TRIED]:
            if not fields or not (own := self._drawn(first, again, one.path)):
                continue
            named = one.path.removeprefix(GLOBAL)
            blind = self._is_blind(one, both)
            found.append(replace(one, path=named, fields=tuple(sorted(own)), seed_blind=blind))
        changed = drawn_fields(_reading(first), _reading(again), _reading(both[-1][place]))
        return StreamDraws(tuple(found), eval_values=_eval_values(changed, first, both[-1][place]))

    def _drawn(self, first: Record, again: Record, path: str) -> dict[str, tuple[int, int]]:
        """Return the fields whose content a generator makes."""
        disturbed = self._once(first["worker"], path)
        if again.get("failed") or disturbed.get("failed"):
            return {}
        return drawn_fields(_reading(first), _reading(again), _reading(disturbed))

    def _once(self, worker: int, disturb: str | None) -> Record:
        """Let one of the workers read its part again."""
        found = apart(self.session, lambda: self._read(self.seeds[0], 1, disturb))
        return next((one for one in found[0] if one["worker"] == worker), {"failed": "no answer"})

    def _is_blind(self, one: Draws, both: list[list[Record]]) -> bool:
        """Whether another seed in the main process leaves a global generator where it was."""
        if not one.path.startswith(GLOBAL):
            return False
        other = apart(self.session, lambda: self._read(self.seeds[1], 1))[0]
        key = "origins" if one.made else "started"
        return bool([a[key].get(one.path) for a in other] == [b[key].get(one.path) for b in both[0]])

    def _read(self, seed: int, epochs: int, disturb: str | None = None) -> list[list[Record]]:
        """Return what each worker got, epoch by epoch; all of them start, so that each has its own part."""
        pipeline = self.pipeline
        pin(seed)
        others = [one for one in roots(pipeline) if one[0] in ("collate_fn", "worker_init_fn")]
        reads = StreamReads(
            pipeline.dataset, config_of(self.session, "randomness"), others=others, disturb=disturb
        )
        return read_epochs(
            pipeline, self.session, reads, workers=self.workers, method=self.method, epochs=epochs
        )


def _reading(record: Record) -> Reading:
    return Reading(record["marks"], record["sketches"], record["ids"])


def _field(path: str, first: Record) -> Draws:
    marks = [one.get(path, "") for one in first["marks"]]
    return Draws(
        "field", path, len(marks), len(marks), 2, across_workers=False, across_epochs=False, chance=1.0
    )


def _paths(first: Record) -> list[str]:
    """Return the generators, the private ones first."""
    every = [*first.get("started", {}), *first.get("made", [])]
    return sorted(dict.fromkeys(every), key=lambda path: path.startswith(GLOBAL))


def _repeats(one: Draws) -> bool:
    return one.across_workers or one.across_epochs


def _compared(path: str, both: list[list[Record]]) -> Draws:
    """Tell whether workers, and epochs, begin with a generator in the same state."""
    started = _alike(path, both, "started")
    made = (
        _alike(path, both, "origins")
        if path in both[0][0].get("made", ()) or path.startswith(GLOBAL)
        else started
    )
    copied = any(started)
    workers, epochs = started if copied else made
    marks = [
        record.get("started" if copied else "origins", {}).get(path, "") for epoch in both for record in epoch
    ]
    return Draws(
        source="global" if path.startswith(GLOBAL) else "generator",
        path=path,
        drawn=len(marks),
        distinct=len(set(marks)),
        by_call=2,
        across_workers=workers,
        across_epochs=epochs,
        chance=0.0,
        shown=tuple((mark,) for mark in marks),
        made=not copied,
    )


def _alike(path: str, both: list[list[Record]], key: str) -> tuple[bool, bool]:
    """Return whether workers agree in each epoch, and epochs in each worker."""
    rows = [[record.get(key, {}).get(path) for record in epoch if record["marks"]] for epoch in both]
    if any(mark is None for row in rows for mark in row) or not all(rows):
        return False, False
    same_stream = any(len({repr(one["marks"]) for one in epoch}) == 1 for epoch in both)
    # Workers that are given the same samples as well are another fault: the stream is not split.
    workers = all(len(row) > 1 and len(set(row)) == 1 for row in rows) and not same_stream
    return workers, len(rows) > 1 and all(row == rows[0] for row in rows)


def _eval_values(changed: dict[str, tuple[int, int]], first: Record, second: Record) -> tuple[EvalValue, ...]:
    """Return an example for each field of the same samples that differs between two epochs."""
    return tuple(
        EvalValue(
            StreamPosition(first["worker"], a),
            path,
            2,
            2,
            (_shown(first["sketches"][a].get(path)), _shown(second["sketches"][b].get(path))),
        )
        for path, (a, b) in sorted(changed.items())
    )


def _shown(values: list[float] | None) -> str:
    return ", ".join(f"{one:.4g}" for one in (values or [])[:3])
