"""Probe ``rows``: puts some rows together and makes what a person looks at. It decides no rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.row_media import MediaRow, RowMediaEvidence
from dldoctor.foreign import attribute
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.pictures import SURE
from dldoctor.probes.alignment.rows.batches import Batch, batches
from dldoctor.probes.alignment.rows.build import Words, row_of
from dldoctor.probes.alignment.rows.limit import Room, sizes_for
from dldoctor.probes.alignment.rows.media import Held, settled
from dldoctor.probes.alignment.rows.names import class_names
from dldoctor.probes.alignment.rows.split import rows_in, split
from dldoctor.probes.alignment.rows.suspects import PLACEHOLDERS
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.vocabulary import find_tokenizer
from dldoctor.roles.flatten import leaves
from dldoctor.roles.observer import BATCHES, RoleObserver
from dldoctor.targets import Pipeline

BRANCH = "row_media"
MOST = 5000
MEDIA = {"pixel_values", "video", "audio"}
"""Roles whose media are large."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Send rows with their media, where the command asks for any."""
    wanted = session.request.options.get("rows")
    if not wanted:
        return
    try:
        found = apart(session, lambda: _rows(pipeline, session, min(int(wanted), MOST)))
    except ApartDiedError as died:
        session.missing(BRANCH, f"the process that read rows to look at ended with {died}")
        return
    session.evidence(BRANCH, found)


def _rows(pipeline: Pipeline, session: Session, wanted: int) -> RowMediaEvidence:
    import torch

    torch.set_num_threads(1)
    notes = list[str]()
    source = batches(pipeline, session, wanted, notes)
    first = list(islice(source, BATCHES))
    roles, sample_roles = _roles(first, session)
    inner = pipeline.torch_loader
    starts = [("collate", attribute(inner, "collate_fn", None)), ("dataset", pipeline.dataset)]
    words = _words(pipeline, session)
    raw = [row for batch in first for row in _raw(batch, roles, words)]
    # A field of samples alone has no role among those of batches.
    known = {**sample_roles, **roles}
    kinds = {one.role for one in known.values() if one.confidence >= SURE}
    sizes = sizes_for(wanted, len(kinds & MEDIA))
    reading = settled(
        [{**alone, **held} for _, held, alone in raw], known, session.intent, sizes.side, starts
    )
    reading = replace(reading, classes=class_names(pipeline.dataset))
    room, rows = Room(), list[MediaRow]()
    for batch in _chained(first, source):
        for place, held, alone in _raw(batch, roles, words):
            if len(rows) < wanted:
                base = replace(place, number=len(rows))
                try:
                    row = row_of(base, held, alone, reading, words, sizes.seconds)
                except Exception as error:  # noqa: BLE001 - the user's objects, which any look may upset
                    notes.append(f"a row could not be shown: {type(error).__name__}")
                    row = base
                rows.append(room.fit(row))
        session.progress(samples=len(rows))
        if len(rows) >= wanted:
            break
    return RowMediaEvidence(
        tuple(rows), wanted, room.taken, room.limit, room.without, tuple(dict.fromkeys(notes))
    )


def _chained(first: Sequence[Batch], source: Iterator[Batch]) -> Iterator[Batch]:
    yield from first
    yield from source


def _roles(read: Sequence[Batch], session: Session) -> tuple[dict[str, Inferred], dict[str, Inferred]]:
    observer = RoleObserver()
    for batch in read:
        for item in batch.items:
            observer.sample(item.id, item.sample)
        if batch.made is not None:
            observer.batch(batch.made)
    declared = {role: path for role, path in session.intent.fields.items() if path in observer.paths()}
    return observer.roles(declared), observer.sample_roles()


def _raw(batch: Batch, roles: dict[str, Inferred], words: Words) -> list[tuple[MediaRow, Held, Held]]:
    """Return each row as its place, what the batch holds of it, and its sample."""
    items = batch.items
    alone = [dict(leaves(item.sample)) for item in items]
    held = batch.held
    if held is None:
        return [
            (_base(batch, at, item), dict[str, Any](), sample)
            for at, (item, sample) in enumerate(zip(items, alone, strict=True))
        ]
    count = rows_in(held, roles, len(items) if len(items) > 1 else None)
    places: Sequence[int | None] = [None] * count
    if items and count == len(items):
        places = batch.order or range(count)
    return [
        (
            _base(batch, at, None if place is None else items[place]),
            row.held,
            {} if place is None else alone[place],
        )
        for at, (row, place) in enumerate(
            zip(split(held, roles, count, words.placeholders), places, strict=True)
        )
    ]


def _base(batch: Batch, row: int, item: Item | None) -> MediaRow:
    if item is None:
        return MediaRow(0, batch.number, row, None)
    return MediaRow(0, batch.number, row, item.id, item.id in batch.suspects, files=item.files)


def _words(pipeline: Pipeline, session: Session) -> Words:
    tokenizer = find_tokenizer(pipeline, session.intent.tokenizer)
    learned = session.read_note(PLACEHOLDERS) or []
    named = tokenizer.placeholders if tokenizer is not None else ()
    return Words(
        tokenizer,
        frozenset((*session.intent.image_token_id, *learned, *named)),
        vocabulary(session.intent, tokenizer).pad,
    )
