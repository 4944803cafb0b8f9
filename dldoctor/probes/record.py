"""The record that travels with each batch from the process that made it to the consumer.

Records are bytes made by `marshal`: fast, and torch passes bytes on untouched when it pins.
"""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple

from dldoctor.probes.glance import Glance, Layout
from dldoctor.probes.look import Look
from dldoctor.probes.overwritten import Overwritten
from dldoctor.probes.watch import SampleNote, Watch


class SampleRecord(NamedTuple):
    """One sample of the batch."""

    id: Any
    elapsed_ns: int
    glance: Glance | None
    """None where the sample raised."""
    looks: tuple[Look | None, ...] | None
    """None where the values were not looked at in full."""
    ends: tuple[tuple[float, float] | None, ...] | None
    failure: dict[str, Any] | None


class BatchRecord(NamedTuple):
    """All that is known of a batch on the side that made it."""

    worker: int
    """-1 in the main process."""
    samples: tuple[SampleRecord, ...]
    collate_ns: int
    failure: dict[str, Any] | None
    """What the collate raised."""
    substitutions: tuple[tuple[Any, Any, str | None, Any], ...]
    overwritten: tuple[Overwritten, ...]
    archives: tuple[str, ...]
    previews: tuple[Any, ...]
    own_ns: int
    """CPU time of our observation in that process so far."""
    cpu_ns: int
    """CPU time of that process so far, ours included."""


def pack(watch: Watch, collate_ns: int, failure: dict[str, Any] | None) -> bytes:
    """Take the pending notes of a watch as the record of one batch."""
    samples = [_flat(watch, note) for note in watch.pending]
    data = (
        watch.worker,
        samples,
        watch.new_layouts,
        collate_ns,
        failure,
        watch.substitutions,
        [tuple(one) for one in watch.overwritten],
        watch.new_archives,
        watch.described if watch.batches <= 1 else [],
        watch.own_ns,
        watch.cpu_ns(),
    )
    packed = marshal.dumps(data)
    watch.pending = []
    watch.new_layouts, watch.new_archives, watch.substitutions = {}, [], []
    watch.overwritten = ()
    return packed


def _flat(watch: Watch, note: SampleNote) -> tuple[Any, ...]:
    if note.glance is None:
        return note.id, note.elapsed_ns, -1, (), (), None, None, note.failure
    looks = None if note.looks is None else [None if one is None else tuple(one) for one in note.looks]
    number = watch.layouts[note.glance.layout]
    ends = None if looks is not None else note.ends
    return note.id, note.elapsed_ns, number, note.glance.shapes, note.glance.values, looks, ends, None


class Unpacker:
    """Reads records; layouts are sent once per process and remembered here."""

    def __init__(self) -> None:
        """Start with no layout known."""
        self._layouts: dict[tuple[int, int], Layout] = {}
        self._canonical: dict[Layout, Layout] = {}

    def unpack(self, packed: bytes) -> BatchRecord:
        """Return the record of one batch."""
        loaded = marshal.loads(packed)  # noqa: S302 - our own bytes, from our own worker
        worker, samples, layouts, collate_ns, failure, substitutions, overwritten = loaded[:7]
        archives, previews, own_ns, cpu_ns = loaded[7:]
        for number, layout in layouts.items():
            whole = tuple(tuple(part) for part in layout)
            # One object for equal layouts of all workers: collectors tell them apart by identity.
            self._layouts[worker, number] = self._canonical.setdefault(whole, whole)
        return BatchRecord(
            worker=worker,
            samples=tuple(self._sample(worker, raw) for raw in samples),
            collate_ns=collate_ns,
            failure=failure,
            substitutions=tuple(tuple(one) for one in substitutions),
            overwritten=tuple(Overwritten(*one) for one in overwritten),
            archives=tuple(archives),
            previews=tuple(previews),
            own_ns=own_ns,
            cpu_ns=cpu_ns,
        )

    def _sample(self, worker: int, raw: tuple[Any, ...]) -> SampleRecord:
        sample_id, elapsed_ns, number, shapes, values, looks, ends, failure = raw
        if number < 0:
            return SampleRecord(sample_id, elapsed_ns, None, None, None, failure)
        seen = Glance(self._layouts[worker, number], tuple(shapes), tuple(values))
        parsed = None if looks is None else tuple(None if one is None else Look(*one) for one in looks)
        return SampleRecord(sample_id, elapsed_ns, seen, parsed, ends, None)
