"""Probe ``collate``: put batches together for the test, of samples that were read afresh.

Collates change their samples, so no sample object is ever handed to one twice.
"""

from __future__ import annotations

import time
from typing import Any

from dldoctor.child.session import Session
from dldoctor.probes.collate_use import is_used
from dldoctor.probes.collect.mixes import mixes_of
from dldoctor.probes.glance import Glance, glance
from dldoctor.probes.reading import SEED, Reader
from dldoctor.targets import Pipeline

SECONDS = 6.0
TOGETHER = 4
"""Samples of a batch that is put together to see what it depends on."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Try mixes that the loader did not meet, and take apart the batches on which it failed."""
    notes = session.read_note("loader") or {}
    inner = pipeline.torch_loader
    if inner is None or not pipeline.by_index or not notes:
        return
    reader = Reader(pipeline.dataset, session, time.monotonic() + SECONDS)
    trial = _Trial(reader, vars(inner)["collate_fn"])
    trials = [*trial.refusals(notes), *trial.autopsies(notes), *trial.uses(notes)]
    session.channel.send("collate-trials", trials=trials)


class _Trial:
    """Collates samples that are read for the purpose."""

    def __init__(self, reader: Reader, collate: Any) -> None:
        self.reader = reader
        self.collate = collate

    def takes(self, ids: list[int]) -> bool | None:
        """Return whether the collate takes a batch of these; None where a sample cannot be read."""
        samples = [self.reader.fresh(index, SEED) for index in ids]
        if not ids or any(one is None for one in samples):
            return None
        try:
            self.collate([one[0] for one in samples if one])
        except Exception:  # noqa: BLE001 - the user's code; that is the question
            return False
        return True

    def shapes(self, ids: list[int]) -> list[tuple[int, Glance]]:
        """Return what the samples look like; those that cannot be read are left out."""
        found = []
        for index in ids:
            one = self.reader.fresh(index, SEED)
            if one is not None:
                found.append((index, glance(one[0])[0]))
        return found

    def refusals(self, notes: dict[str, Any]) -> list[dict[str, Any]]:
        """Try each way in which samples differ, with two samples that differ in it, both orders."""
        found = []
        tried = [*notes.get("examples", [])]
        none, whole = notes.get("none") or [], self._whole(notes)
        if none and whole is not None:
            tried.append({"what": "none", "path": "", "ids": [none[0], whole]})
        for mix in tried:
            if self.reader.out_of_time():
                break
            ids = mix["ids"][:4]
            alone = [self.takes([index, index]) for index in ids]
            both = [self.takes(ids), self.takes(ids[::-1])]
            # A sample that does not collate with itself says nothing about the mix.
            sound = mix["what"] == "none" or all(alone)
            if sound and None not in both:
                found.append({"what": mix["what"], "path": mix["path"], "refused": False in both})
        return found

    def _whole(self, notes: dict[str, Any]) -> int | None:
        skip = {*(notes.get("none") or []), *(notes.get("failed") or [])}
        return next((index for index in range(64) if index not in skip), None)

    def autopsies(self, notes: dict[str, Any]) -> list[dict[str, Any]]:
        """Take apart the first failing batch of each kind."""
        return [
            result
            for ids in notes.get("refused", [])
            if not self.reader.out_of_time() and (result := self._autopsy(ids)) is not None
        ]

    def uses(self, notes: dict[str, Any]) -> list[dict[str, Any]]:
        """Try whether batches depend on the fields that none has under their name."""
        failed = {*(notes.get("none") or []), *(notes.get("failed") or [])}
        ids = [index for index in range(64) if index not in failed][:TOGETHER]
        found = []
        for name in notes.get("left_out", []):
            if self.reader.out_of_time():
                break
            used = is_used(lambda index: self.reader.fresh(index, SEED), self.collate, ids, name)
            if used is not None:
                found.append({"field": name, "used": used})
        return found

    def _autopsy(self, ids: list[int]) -> dict[str, Any] | None:
        if len(ids) < 2 or self.takes(ids) is not False:
            return None
        seen = self.shapes(ids)
        mended = []
        for what, path in set(mixes_of([shape for _, shape in seen])):
            largest = _largest_group(seen, what, path)
            group = largest if len(largest) > 1 else largest * 2
            mended.append({"what": what, "path": path, "mended": bool(self.takes(group))})
        culprits = [index for index in ids if self.takes([i for i in ids if i != index])]
        culprit = culprits[0] if len(culprits) == 1 else None
        return {"batch": ids, "mended": mended, "culprit": culprit, "field": _odd_field(seen, culprit)}


def _kind_of(shape: Glance, what: str, path: str) -> Any:
    if what == "structure" and not path:
        return frozenset(part[0] for part in shape.layout)
    if what == "none" and not path:
        return shape.layout[0][1] == "None" and len(shape.layout) == 1
    for position, part in enumerate(shape.layout):
        if part[0] == path:
            parts = {"shape": shape.shapes[position], "dtype": part[2] or part[1], "mode": part[3]}
            return parts.get(what, part[1])
    return None


def _largest_group(seen: list[tuple[int, Glance]], what: str, path: str) -> list[int]:
    groups: dict[Any, list[int]] = {}
    for index, shape in seen:
        if not (what == "none" and _kind_of(shape, what, path) in (True, "None")):
            groups.setdefault(_kind_of(shape, what, path), []).append(index)
    return max(groups.values(), key=len, default=[])


def _odd_field(seen: list[tuple[int, Glance]], culprit: int | None) -> str | None:
    """Return the field in which the culprit differs from all others."""
    own = next((shape for index, shape in seen if index == culprit), None)
    if own is None:
        return None
    others = [shape for index, shape in seen if index != culprit]
    for position, (path, container, dtype, mode) in enumerate(own.layout):
        what = (container, dtype, mode, own.shapes[position])
        if all(_described(other, path) != what for other in others):
            return path
    return None


def _described(shape: Glance, path: str) -> tuple[Any, ...] | None:
    for position, (other, container, dtype, mode) in enumerate(shape.layout):
        if other == path:
            return container, dtype, mode, shape.shapes[position]
    return None
