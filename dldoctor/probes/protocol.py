"""Probe ``protocol``: ask the dataset directly, in a process in which nothing was read yet."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.protocol import ProtocolEvidence, Reading, Reread
from dldoctor.foreign import has
from dldoctor.probes.beyond_ends import compared
from dldoctor.probes.digest import digests
from dldoctor.probes.emptied import emptied_fields
from dldoctor.probes.frames import one_line
from dldoctor.probes.preview import number_text, value_text
from dldoctor.probes.reading import SEED, Reader
from dldoctor.probes.repeated import repeated_content
from dldoctor.probes.replaced import replaced_items
from dldoctor.probes.scattered import READS, scattered
from dldoctor.probes.sound.rates import sample_rates
from dldoctor.probes.storage import changed, snapshot
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

SECONDS = 8.0
"""Time for all questions; those that did not fit are not answered."""
INDICES = 64
NEIGHBOURS = 16
"""First indices that are compared one by one: items that repeat often do so there."""
REREAD = 5
CROSSING_READS = 4.0
"""Times the root of the length: so many random draws repeat an item several times over."""
SEEDED = 8
"""Indices that are read with equal random numbers: do these alone decide what comes back?"""
ELEMENTS = 4096
"""Elements of a leaf that are kept to show where two reads differ."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Answer what can be answered within the time, and send it."""
    dataset = pipeline.dataset
    if not pipeline.by_index or dataset is None:
        session.missing("protocol", pipeline.no_index)
        return
    length, error = _length(dataset)
    notes = session.read_note("loader") or {}
    reader = Reader(dataset, session, deadline=time.monotonic() + _seconds(session))
    evidence = ProtocolEvidence(length=length, length_error=error, iterates_by_index=_by_index(dataset))
    if length:
        evidence = _ask(reader, session, length, notes, evidence, _collate_of(pipeline))
    session.evidence("protocol", evidence)
    session.channel.send("protocol-failures", failures=reader.failures.evidence())


def _seconds(session: Session) -> float:
    budget = session.limits.time_budget_s
    if budget is None:
        return SECONDS
    # A slice is this probe's own; a budget of the run is for all of its probes.
    return min(SECONDS, budget if session.request.shares else max(1.0, budget / 3))


def _length(dataset: Any) -> tuple[int | None, str | None]:
    if not has(type(dataset), "__len__"):
        return None, None
    try:
        return len(dataset), None
    except Exception as error:  # noqa: BLE001 - the user's code
        return None, one_line(error)


def _by_index(dataset: Any) -> bool:
    return not has(type(dataset), "__iter__")


def _collate_of(pipeline: Pipeline) -> Callable[[Any], Any] | None:
    inner = pipeline.torch_loader
    batched = inner is not None and getattr(inner, "batch_sampler", None) is not None
    return inner.collate_fn if inner is not None and batched else None


def _ask(
    reader: Reader, session: Session, length: int, notes: dict[str, Any], evidence: ProtocolEvidence,
    collate: Callable[[Any], Any] | None,
) -> ProtocolEvidence:  # fmt: skip
    from dataclasses import replace

    readable, first = _boundary(reader, length, notes)
    evidence = replace(evidence, readable=readable, first_unreadable=first)
    session.evidence("protocol", evidence)
    evidence = replace(
        evidence,
        at_length=compared(reader, reader.read(length), length),
        at_minus_one=compared(reader, reader.read(-1), length),
        plain_iteration_stops_at=_quiet_stop(reader, length, notes),
    )
    session.evidence("protocol", evidence)
    indices = _spread(length, INDICES, notes)
    evidence = replace(evidence, rereads=tuple(_rereads(reader, indices[:REREAD])))
    wanted = max(INDICES, round(CROSSING_READS * length**0.5 / READS))
    seeded = _anywhere(length, notes)
    scatter = scattered(reader, _spread(length, wanted, notes), seeded, notes.get("own_id"))
    evidence = replace(evidence, scatter=scatter)
    session.evidence("protocol", evidence)
    blank = dict(notes.get("blank") or ())
    suspects = [*_ints(notes.get("alike")), *range(min(length, NEIGHBOURS)), *indices]
    evidence = replace(evidence, repeated=repeated_content(reader, [i for i in suspects if i < length]))
    evidence = replace(evidence, emptied=emptied_fields(reader, dict(notes.get("empty") or {})))
    evidence = replace(evidence, rates=sample_rates(reader, indices, collate))
    session.evidence("protocol", evidence)
    found, read = replaced_items(reader, [*blank, *_ints(notes.get("alike")), *indices], blank)
    return replace(evidence, substituted=found, read=read)


def _ints(values: Any) -> list[int]:
    return [value for value in values or [] if isinstance(value, int)]


def _spread(length: int, count: int, notes: dict[str, Any]) -> list[int]:
    """Return indices spread over the dataset that did not raise in the loader."""
    failed = set(_ints(notes.get("failed")))
    step = max(1, length // count)
    return [index for index in range(0, length, step) if index not in failed][:count]


def _anywhere(length: int, notes: dict[str, Any]) -> list[int]:
    """Return a few indices at random places: those at equal distances may share a file, and so may neighbours."""
    failed = set(_ints(notes.get("failed")))
    picked = random.Random(3).sample(range(length), min(length, SEEDED + 2))  # noqa: S311 - no secret
    return [index for index in picked if index not in failed][:SEEDED]


def _boundary(reader: Reader, length: int, notes: dict[str, Any]) -> tuple[int | None, Reading | None]:
    """Find the index from which on everything raises IndexError, by bisection from the end."""
    last = reader.read(length - 1)
    if last is None or last.outcome != "index-error":
        return None, None
    known = min(_ints(notes.get("failed")), default=length - 1)
    low, high = -1, length - 1  # readable (or -1), not readable
    for guess in (known, known - 1):
        if low < guess < high:
            low, high = _narrow(reader, guess, low, high)
    while high - low > 1:
        low, high = _narrow(reader, (low + high) // 2, low, high)
        if reader.out_of_time():
            return None, None
    middle = [high + (length - 1 - high) * k // 7 for k in range(8)]
    if all((one := reader.read(i)) is not None and one.outcome == "index-error" for i in middle):
        return high, reader.read(high)
    return None, None


def _narrow(reader: Reader, guess: int, low: int, high: int) -> tuple[int, int]:
    found = reader.read(guess)
    return (low, guess) if found is not None and found.outcome == "index-error" else (guess, high)


def _quiet_stop(reader: Reader, length: int, notes: dict[str, Any]) -> int | None:
    """Return where plain iteration would end although a later item can be read."""
    for index in sorted(_ints(notes.get("failed"))):
        found = reader.read(index)
        if found is None or found.outcome not in ("index-error", "stop"):
            continue
        later = [reader.read(i) for i in dict.fromkeys((index + 1, length - 1)) if index < i < length]
        if any(one is not None and one.outcome == "value" for one in later):
            return index
    return None


def _rereads(reader: Reader, indices: list[int]) -> list[Reread]:
    found = []
    for index in indices:
        before = snapshot(reader.dataset, index)
        reads = [_read_once(reader, index) for _ in range(3)]
        whole = [one for one in reads if one is not None]
        if len(whole) < len(reads):
            continue
        contents = [content for content, _ in whole]
        path = next((p for p in contents[0] if len({content.get(p) for content in contents}) > 1), None)
        found.append(
            Reread(
                index=index,
                equal=path is None,
                previews=_told_apart([shown[path] for _, shown in whole if path in shown]) if path else (),
                path=path,
                storage_changed=changed(before, snapshot(reader.dataset, index)) if path else None,
            )
        )
    return found


@dataclass(frozen=True)
class _Shown:
    """What a leaf looked like at the time of a read; a later read may change the very object."""

    text: str
    elements: tuple[float, ...]
    """Its first elements, if it has any."""


def _read_once(reader: Reader, index: int) -> tuple[dict[str, str], dict[str, _Shown]] | None:
    one = reader.fresh(index, SEED)
    if one is None:
        return None
    return digests(one[0]), {path: _shown(leaf) for path, leaf in leaves(one[0])}


def _shown(leaf: Any) -> _Shown:
    from dldoctor.probes.look import as_tensor, look

    scalar = leaf if isinstance(leaf, (int, float, bool)) else None
    tensor = None if scalar is not None or isinstance(leaf, str) else as_tensor(leaf)
    elements = () if tensor is None else tuple(tensor.detach().reshape(-1)[:ELEMENTS].tolist())
    return _Shown(value_text(leaf, look(leaf), scalar), elements)


def _told_apart(shown: list[_Shown]) -> tuple[str, ...]:
    """Return texts of the same leaf in several reads that show where they differ."""
    if len({one.text for one in shown}) > 1 or len({len(one.elements) for one in shown}) != 1:
        return tuple(one.text for one in shown)
    columns = list(zip(*(one.elements for one in shown), strict=True))
    place = max(range(len(columns)), key=lambda at: max(columns[at]) - min(columns[at]), default=None)
    if place is None or len(set(columns[place])) == 1:
        return tuple(one.text for one in shown)
    texts = [number_text(value) for value in columns[place]]
    exact = len(set(texts)) == len(set(columns[place]))
    values = texts if exact else [f"{value:.9g}" for value in columns[place]]
    return tuple(f"{value} (element {place})" for value in values)
