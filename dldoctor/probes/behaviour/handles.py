"""Probe ``handles``: what is open before the workers start, what a first read opens, what is on a device."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import Handle, HandlesEvidence
from dldoctor.probes.asks import keys_of
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.graph import Found, roots, walk
from dldoctor.probes.behaviour.open_things import FILE, RAW, open_things
from dldoctor.probes.index import plain_index
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

READS = 3


def run(pipeline: Pipeline, session: Session) -> None:
    """Walk, read in a fork, walk again, and send."""
    if pipeline.torch_loader is None:
        session.missing("handles", "only the batches of this loader can be seen, not its dataset")
        return
    starts = [one for one in roots(pipeline) if one[0] in ("dataset", "collate_fn", "worker_init_fn")]
    before = [handle for handle, _ in open_things(starts)]
    try:
        after = apart(session, lambda: _after_reading(pipeline, session, starts))
    except ApartDiedError:
        # DL508 has told why; what was not read may move.
        after = {"opened": [], "reopened": [], "moved": [one.path for one in before], "devices": []}
    stored = [(path, str(value.device)) for path, value in walk(starts) if _off_cpu(value)]
    native = session.read_note("threads") or {"python": [], "pools": []}
    session.evidence(
        "handles",
        HandlesEvidence(
            handles=(
                *(
                    replace(h, reopened=h.path in after["reopened"], moved=h.path in after["moved"])
                    for h in before
                ),
                *(Handle(**one) for one in after["opened"]),
            ),
            on_device=(*stored, *((path, device) for path, device in after["devices"])),
            objects=sum(1 for _ in walk(starts)),
            threads=tuple(native["python"]),
            pools=tuple(native["pools"]),
        ),
    )


def _off_cpu(value: Any) -> bool:
    torch = sys.modules["torch"]
    return isinstance(value, torch.Tensor) and value.device.type != "cpu"


def _after_reading(pipeline: Pipeline, session: Session, starts: list[Found]) -> dict[str, Any]:
    """Read a few items here, in a process that is not the one that opened things."""
    before = {handle.path: (handle, value) for handle, value in open_things(starts)}
    positions = {path: _position(handle, value) for path, (handle, value) in before.items()}
    devices: dict[str, str] = {}
    read = False
    try:
        for sample in _samples(pipeline, session):
            read = True
            for path, leaf in leaves(sample):
                if _off_cpu(leaf):
                    devices[f"sample.{path}"] = str(leaf.device)
    except Exception:  # noqa: BLE001, S110 - the user's code; dry-run has the exception
        pass
    after = {handle.path: (handle, value) for handle, value in open_things(starts)}
    return {
        "opened": [
            replace(handle, when="after") for path, (handle, _) in after.items() if path not in before
        ],
        "reopened": [p for p, (_, value) in before.items() if p not in after or after[p][1] is not value],
        # Where nothing could be read, anything may move.
        "moved": [p for p, (h, value) in before.items() if not read or positions[p] != _position(h, value)],
        "devices": list(devices.items()),
    }


def _position(handle: Handle, value: Any) -> object:
    """Return where the next read would begin, in the file and for whoever reads through the object."""
    if handle.kind == RAW:
        return os.lseek(value, 0, os.SEEK_CUR)
    if handle.kind != FILE:
        return None
    try:
        return os.lseek(value.fileno(), 0, os.SEEK_CUR), value.tell()
    except (OSError, ValueError):
        return object()  # a text that is iterated over does not say: never equal


def _samples(pipeline: Pipeline, session: Session) -> Any:
    dataset: Any = pipeline.dataset
    if pipeline.spec.kind != "map":
        yield from islice(iter(dataset), READS)
        return
    if pipeline.asks is not None:
        for key in islice(keys_of(pipeline.torch_loader), READS):
            session.note("getitem", plain_index(key))
            yield dataset[key]
        return
    deadly = set(session.read_note("deadly") or [])
    length = pipeline.spec.dataset_length or 0
    # Parts of the data may lie in files of their own.
    spread = [*range(READS), length // 3, length // 2, length - 1]
    for index in dict.fromkeys(one for one in spread if 0 <= one < length):
        if str(index) not in deadly:
            session.note("getitem", index)
            yield dataset[index]
