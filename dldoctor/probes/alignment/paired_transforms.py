"""Reads samples whose pictures are test cards, and looks whether the targets follow the pictures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.paired_transforms import PairedTransforms
from dldoctor.intent import Inferred
from dldoctor.probes.alignment import cards
from dldoctor.probes.alignment.card_readers import give_cards
from dldoctor.probes.alignment.held_cards import exchange
from dldoctor.probes.alignment.paired_targets import PairedTargets
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.digest import pin
from dldoctor.probes.write_guard import no_writing
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

SAMPLES = 10
SEEDS = 5
SECONDS = 8.0
MARKS = {"boxes", "keypoints"}
Held = dict[str, Any]


def paired_transforms(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> Any:
    """Return a list of `PairedTransforms` as plain data; empty where no picture can be exchanged."""
    if pipeline.dataset is None or pipeline.asks or pipeline.spec.kind not in ("map", "iterable"):
        return []
    try:
        return apart(session, lambda: _tried(pipeline, session, roles))
    except ApartDiedError:
        return []


def _tried(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> list[PairedTransforms]:
    import torch

    torch.set_num_threads(1)
    if not (give_cards() + exchange(pipeline.dataset)):
        return []
    marked = any(one.role in MARKS for one in roles.values())
    # Two slopes tell where marks must lie; one tells masks of classes from those of many values.
    numbers = (
        (0, 1, cards.ACROSS, cards.DOWN)[: 4 if marked else 3] if pipeline.spec.kind == "map" else (0, 1)
    )
    seen = PairedTargets(roles, session.intent.box_format)
    deadline = time.monotonic() + SECONDS
    source = _of_map if pipeline.spec.kind == "map" else _of_stream
    for number, (sample, seed, read) in enumerate(source(pipeline, session, numbers)):
        seen.add(sample, seed, read)
        in_vain = number >= SEEDS and not seen.pairs
        if session.stopping or in_vain or time.monotonic() > deadline:
            break
    return seen.result()


Read = Iterator[tuple[int, int, tuple[Held | None, ...]]]


def _of_map(pipeline: Pipeline, session: Session, numbers: tuple[int, ...]) -> Read:
    """Yield items of all over the dataset, each under several seeds, with one card after the other."""
    dataset: Any = pipeline.dataset
    length = pipeline.spec.dataset_length or 0
    for index in range(0, length, max(1, length // SAMPLES)):
        for seed in range(SEEDS):
            session.note("getitem", index)
            yield index, seed, tuple(_item(dataset, index, 5000 + 97 * seed + index, one) for one in numbers)


def _item(dataset: Any, index: int, seed: int, number: int) -> Held | None:
    cards.use(number)
    pin(seed)
    try:
        with no_writing():
            return dict(leaves(dataset[index]))
    except Exception:  # noqa: BLE001 - the user's code, which need not take a card
        return None


def _of_stream(pipeline: Pipeline, session: Session, numbers: tuple[int, ...]) -> Read:
    """Yield the first samples of a stream, which is begun anew for each seed and card."""
    for seed in range(SEEDS):
        session.note("next", seed)
        found = [_first(pipeline.dataset, 5000 + 97 * seed, number) for number in numbers]
        for at, read in enumerate(zip(*found, strict=False)):
            yield at, seed, read


def _first(dataset: Any, seed: int, number: int) -> list[Held | None]:
    cards.use(number)
    pin(seed)
    found = list[Held | None]()
    try:
        with no_writing():
            found.extend(dict(leaves(sample)) for sample in islice(iter(dataset), SAMPLES))
    except Exception:  # noqa: BLE001 - the user's code, which need not take a card
        return found
    return found
