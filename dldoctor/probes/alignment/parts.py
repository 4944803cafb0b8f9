"""Reads samples and compares their parts: boxes and masks with pictures, files with files, seconds with seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.alignment import PartsEvidence
from dldoctor.evidence.annotations import AnnotationEvidence, BoxRow, MaskRow
from dldoctor.evidence.file_pairs import OrientationEvidence, TurnedPicture
from dldoctor.evidence.times import TimeEvidence, TimeRow
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.boxes import box_row
from dldoctor.probes.alignment.carried import CarriedTexts
from dldoctor.probes.alignment.file_pairs import file_pairs
from dldoctor.probes.alignment.frame_order import frame_order, is_volume
from dldoctor.probes.alignment.image_headers import Header, header_of
from dldoctor.probes.alignment.items import Item, items
from dldoctor.probes.alignment.listed_texts import TextsOfSamples
from dldoctor.probes.alignment.masks import mask_row, planes
from dldoctor.probes.alignment.orientation import read_as, stated_sizes
from dldoctor.probes.alignment.pictures import Size, paths_of, picture_of
from dldoctor.probes.alignment.times import time_row
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.frames import shown_path
from dldoctor.roles.flatten import leaves
from dldoctor.roles.observer import SAMPLES, RoleObserver
from dldoctor.targets import Pipeline

ANOTHER_SEED = 909
READ_AGAIN = 12


def parts(pipeline: Pipeline, session: Session) -> Any:
    """Return a `PartsEvidence` as plain data, and the roles of the fields of samples."""
    if pipeline.dataset is None:
        return None, {}
    try:
        found = apart(session, lambda: _read(pipeline, session))
    except ApartDiedError:
        return None, {}
    return found["parts"], found["roles"]


def _read(pipeline: Pipeline, session: Session) -> dict[str, Any]:
    import torch

    torch.set_num_threads(1)
    source = items(pipeline, session)
    first = list(islice(source, SAMPLES))
    observer = RoleObserver()
    for item in first:
        observer.sample(item.id, item.sample)
    # A path that only batches have is declared for those.
    known = {role: path for role, path in session.intent.fields.items() if path in observer.paths()}
    roles = observer.roles(known)
    gathered = _Gathered(roles, session.intent.box_format, TextsOfSamples(pipeline.dataset))
    for item in first:
        gathered.add(item)
    for item in source:
        gathered.add(item)
        session.progress(samples=gathered.samples)
    listed = gathered.texts.result()
    again = []
    if any(len(files) > 1 for _, files in gathered.opened) or (listed is not None and listed.wrong):
        again = list(items(pipeline, session, seed=ANOTHER_SEED, most=READ_AGAIN))
    if listed is not None and gathered.texts.differ(again, listed.where):
        listed = replace(listed, drawn=True)
    result = gathered.result({one.id: one.files for one in again})
    return {"parts": replace(result, listed=listed), "roles": roles}


class _Gathered:
    """Facts of the samples so far; no sample is kept."""

    def __init__(self, roles: Mapping[str, Inferred], box_format: str | None, texts: TextsOfSamples) -> None:
        self._roles, self._box_format, self.texts = roles, box_format, texts
        self.samples = 0
        self.opened: list[tuple[SampleId, tuple[str, ...]]] = []
        self._boxes: list[BoxRow] = []
        self._masks: list[MaskRow] = []
        self._with_masks = 0
        self._headers: dict[str, Header | None] = {}
        self._turned: list[TurnedPicture] = []
        self._times: list[TimeRow] = []
        self._carried = CarriedTexts()
        self._volumes = False

    def add(self, item: Item) -> None:
        """Look at one sample."""
        self.samples += 1
        held = dict(leaves(item.sample))
        self.opened.append((item.id, item.files))
        self._volumes = self._volumes or any(is_volume(value, len(item.files)) for value in held.values())
        self.texts.add(item, held)
        if not isinstance(item.id, int):
            self._carried.add(item, held)
        picture = picture_of(self._roles, held)
        headers = {path: one for path in item.files if (one := self._header(path)) is not None}
        if picture is not None:
            path, size = picture
            stated = stated_sizes(held)
            self._annotations(item, held, size, {**_file_sizes(headers), **stated})
            self._turned_files(item, headers, held[path], size, stated)
        found = time_row(item.id, held, self._roles)
        if found is not None:
            self._times.append(found)

    def _header(self, path: str) -> Header | None:
        if path not in self._headers:
            self._headers[path] = header_of(path)
        return self._headers[path]

    def _annotations(
        self, item: Item, held: Mapping[str, Any], size: Size, others: Mapping[str, Size]
    ) -> None:
        for path in paths_of("boxes", self._roles, held):
            row = box_row(item.id, path, held[path], size, others)
            if row is not None:
                self._boxes.append(row)
        for role in ("segmentation_mask", "keypoints"):
            known = paths_of(role, self._roles, held)
            for path in known or (planes(held, size) if role == "segmentation_mask" else ()):
                self._with_masks += 1
                wrong = mask_row(item.id, path, held[path], size, role)
                if wrong is not None:
                    self._masks.append(wrong)

    def _turned_files(
        self, item: Item, headers: Mapping[str, Header], picture: Any, size: Size, stated: Mapping[str, Size]
    ) -> None:
        for path, header in headers.items():
            if header.orientation == 1:
                continue
            stored = (header.width, header.height)
            says: Any = None
            if stored != header.shown:
                says = "shown" if header.shown in stated.values() else None
                says = "stored" if stored in stated.values() else says
            self._turned.append(
                TurnedPicture(
                    item.id,
                    shown_path(path),
                    header.orientation,
                    *stored,
                    read_as(path, header, picture, size),
                    says,
                )
            )

    def _has_film(self) -> bool:
        named = any(one.role in ("video", "timestamps") for one in self._roles.values())
        return named or self._volumes

    def result(self, again: Mapping[SampleId, tuple[str, ...]]) -> PartsEvidence:
        """Return what was seen."""
        return PartsEvidence(
            samples=self.samples,
            annotations=AnnotationEvidence(
                self.samples,
                len(self._boxes),
                tuple(self._boxes),
                self._with_masks,
                tuple(self._masks),
                self._box_format,
            ),
            files=file_pairs(self.opened, again),
            orientation=OrientationEvidence(
                sum(one is not None for one in self._headers.values()), tuple(self._turned)
            ),
            times=TimeEvidence(tuple(self._times)),
            order=frame_order(self.opened, films=self._has_film()),
            carried=self._carried.result(),
        )


def _file_sizes(headers: Mapping[str, Header]) -> dict[str, Size]:
    """Return the size of the picture's file, as stored and as shown: of several, the one opened first."""
    if not headers:
        return {}
    header = next(iter(headers.values()))
    stored = (header.width, header.height)
    return {"file": stored} if header.shown == stored else {"file": stored, "shown": header.shown}
