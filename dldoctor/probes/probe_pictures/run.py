"""Probe ``pictures``: which items are opened how, then each kind of them with one probe picture after the other."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.probe_pictures import Opened, ProbedField, ProbePicturesEvidence
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.digest import digest
from dldoctor.probes.probe_pictures.judging import ItemReadings
from dldoctor.probes.probe_pictures.reading import Reader, Reading, items_of
from dldoctor.targets import Pipeline

LOOKED_AT = 24
IN_VAIN = 4
LOOK_SECONDS = 1.5
SECONDS = 4.0
SHARE = 0.6
"""Of the probe's time where that is less: the first look takes some, and so may the last item."""
EACH_KIND = 2
MOST = 6
SEEDS = 2
SMOOTH_SEEDS = 8


def run(pipeline: Pipeline, session: Session) -> None:
    """Send the branch ``pictures``."""
    if pipeline.dataset is None or pipeline.spec.kind not in ("map", "iterable"):
        session.evidence("pictures", ProbePicturesEvidence(reason="only the loader's batches can be seen"))
        return
    if pipeline.asks is not None:
        session.evidence("pictures", ProbePicturesEvidence(reason=pipeline.no_index))
        return
    try:
        plan = apart(session, lambda: _looked(pipeline, session))
        if plan["items"]:
            session.evidence("pictures", apart(session, lambda: _probed(pipeline, session, plan)))
        else:
            session.evidence("pictures", ProbePicturesEvidence(reason=plan["reason"]))
    except ApartDiedError:
        session.missing("pictures", "the user's code ended the process that read items with probe pictures")


def _budget(session: Session, seconds: float) -> float:
    own = session.limits.time_budget_s
    return seconds if own is None else min(seconds, SHARE * own)


def _looked(pipeline: Pipeline, session: Session) -> dict[str, Any]:
    """Return items of each way of opening pictures, and whether reading one of them leaves a trace."""
    import torch

    torch.set_num_threads(1)
    reader = Reader(pipeline, session, time.monotonic() + _budget(session, LOOK_SECONDS))
    if not reader.decoders.install(pipeline.dataset):
        return {"items": [], "reason": "no library that decodes pictures is loaded"}
    kinds: dict[Any, list[int]] = defaultdict(list)
    for number, item in enumerate(items_of(pipeline, session, LOOKED_AT)):
        found = reader.read(item, 0, None)
        if found is not None and found.opened and found.planes:
            kinds[tuple(dict.fromkeys(map(_kind, found.opened)))].append(item)
        if reader.out_of_time or (number + 1 >= IN_VAIN and not kinds):
            break
    items = [item for turn in range(EACH_KIND) for own in kinds.values() for item in own[turn : turn + 1]]
    if not items:
        return {
            "items": [],
            "reason": "no decoder was asked for a picture of the samples that were read; those in memory are not exchanged",
        }
    return {"items": items[:MOST], "reason": ""} | _traces(reader, items[0])


def _kind(opened: Opened) -> Any:
    return opened.reader, opened.suffix, opened.gives, opened.where


def _traces(reader: Reader, item: int) -> dict[str, bool]:
    """Tell whether pictures are kept after the first reading, and whether generators cannot be pinned."""
    first, second = reader.read(item, 1, None), reader.read(item, 1, None)
    kept = second is None or not second.opened
    return {
        "kept": kept,
        "private": first is not None and second is not None and _values(first) != _values(second),
    }


def _values(found: Reading) -> dict[str, str | None]:
    return {path: digest(one.values) for path, one in found.planes.items()}


def _probed(pipeline: Pipeline, session: Session, plan: Mapping[str, Any]) -> ProbePicturesEvidence:
    import torch

    torch.set_num_threads(1)
    reader = Reader(pipeline, session, time.monotonic() + _budget(session, SECONDS))
    reader.decoders.install(pipeline.dataset)
    reader.apart = plan["kept"] or plan["private"]
    fields = list[ProbedField]()
    for item in plan["items"]:
        readings = ItemReadings(item, pipeline.spec.kind)
        for seed in range(SMOOTH_SEEDS):
            if plan["private"] and not plan["kept"] and seed:
                reader.moved_on(item)
            for drawing in readings.wanted(seed, SEEDS):
                readings.add(drawing, reader.read(item, seed, drawing))
                if reader.out_of_time:
                    break
            if reader.out_of_time or not readings.varies:
                break
        fields += readings.result()
        session.progress(samples=reader.count)
        if reader.out_of_time:
            break
    reason = "" if fields else "no probe picture came through as a picture"
    return ProbePicturesEvidence(tuple(fields), reader.count, reason)
