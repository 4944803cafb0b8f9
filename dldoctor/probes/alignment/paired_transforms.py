"""Reads samples whose pictures are test cards, and looks whether the targets follow the pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.paired_transforms import ApartTransform, PairedTransforms
from dldoctor.intent import Inferred
from dldoctor.probes.alignment import cards
from dldoctor.probes.alignment.masks import planes
from dldoctor.probes.alignment.pictures import paths_of, picture_of
from dldoctor.probes.alignment.turns import grey, likeness, turn_of, two_levels
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.digest import digest, pin
from dldoctor.probes.look import as_tensor
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

SAMPLES = 8
SEEDS = 4
TOGETHER, APART = 0.7, 0.5
"""Likeness from which on picture and mask lie alike, and below which they do not."""
FEWEST = 4
EXAMPLES = 5


def paired_transforms(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> Any:
    """Return a list of `PairedTransforms` as plain data; empty where no reader can give cards."""
    known = {one.role for one in roles.values()}
    if pipeline.dataset is None or pipeline.spec.kind != "map" or "pixel_values" not in known:
        return []
    try:
        return apart(session, lambda: _tried(pipeline, session, roles))
    except ApartDiedError:
        return []


def _tried(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> list[PairedTransforms]:
    import torch

    torch.set_num_threads(1)
    if not cards.give_cards():
        return []
    trial = _Trial(pipeline, session, roles)
    for index in range(
        0, pipeline.spec.dataset_length or 0, max(1, (pipeline.spec.dataset_length or 0) // SAMPLES)
    ):
        for seed in range(SEEDS):
            if session.stopping:
                break
            trial.read(index, 5000 + 97 * seed + index)
    return trial.result()


class _Trial:
    """Readings so far."""

    def __init__(self, pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> None:
        self._dataset: Any = pipeline.dataset
        self._session, self._roles = session, roles
        self._masks: dict[tuple[str, str], list[tuple[float, ApartTransform]]] = {}
        self._boxes: dict[tuple[str, str], list[tuple[int, str | None, Any]]] = {}

    def read(self, index: int, seed: int) -> None:
        """Read one item with two patterns: what is the same with both does not come from the files."""
        one, other = self._held(index, seed, 0), self._held(index, seed, 1)
        picture = picture_of(self._roles, one) if one else None
        if picture is None or one is None or other is None:
            return
        path, size = picture
        plane = grey(one[path])
        if plane is None or digest(one[path]) == digest(other.get(path)):
            return
        turn = turn_of(plane, cards.pattern(0))
        for target in paths_of("segmentation_mask", self._roles, one) or planes(one, size):
            levels = two_levels(one[target])
            if levels is None or digest(one[target]) == digest(other.get(target)):
                continue
            alike = likeness(plane, *levels)
            if alike is not None:
                found = ApartTransform(index, seed, turn, turn_of(levels[0], cards.pattern(0)))
                self._masks.setdefault((path, target), []).append((alike, found))
        for target in paths_of("boxes", self._roles, one):
            self._boxes.setdefault((path, target), []).append((index, turn, one[target]))

    def _held(self, index: int, seed: int, number: int) -> dict[str, Any] | None:
        self._session.note("getitem", index)
        cards.use(number)
        pin(seed)
        try:
            return dict(leaves(self._dataset[index]))
        except Exception:  # noqa: BLE001 - the user's code, which need not take a card
            return None

    def result(self) -> list[PairedTransforms]:
        """Return what was seen of each pair of fields."""
        found = []
        for (path, target), seen in self._masks.items():
            clear = [(alike, one) for alike, one in seen if alike >= TOGETHER or alike <= APART]
            wrong = [one for alike, one in clear if alike <= APART]
            if len(clear) >= FEWEST:
                turns = {one.picture_turn for _, one in clear}
                found.append(
                    PairedTransforms(
                        path, target, "mask", len(clear), len(wrong), len(turns) > 1, tuple(wrong[:EXAMPLES])
                    )
                )
        for (path, target), boxed in self._boxes.items():
            pairs = _mirrored(boxed)
            if pairs:
                stayed = [one for one in pairs if one.target_turn == "as stored"]
                found.append(
                    PairedTransforms(
                        path, target, "boxes", len(pairs), len(stayed), True, tuple(stayed[:EXAMPLES])
                    )
                )
        return found


def _mirrored(boxed: list[tuple[int, str | None, Any]]) -> list[ApartTransform]:
    """Return the readings with a mirrored picture, and whether the boxes stayed as they are without."""
    plain = {index: boxes for index, turn, boxes in boxed if turn == "as stored"}
    found = []
    for index, turn, boxes in boxed:
        if turn != "mirrored" or index not in plain:
            continue
        before, after = as_tensor(plain[index]), as_tensor(boxes)
        if before is None or after is None or tuple(before.shape) != tuple(after.shape) or not before.numel():
            continue
        same = bool((before == after).all())
        if same and _is_symmetric(before):
            continue
        found.append(ApartTransform(index, 0, turn, "as stored" if same else None))
    return found


def _is_symmetric(boxes: Any) -> bool:
    """Whether mirroring may leave all boxes where they are: they have one middle, whatever the format."""
    table = boxes.double().reshape(-1, boxes.shape[-1])
    for middles in (table[:, 0] + table[:, 2], 2 * table[:, 0] + table[:, 2], table[:, 0]):
        if float(middles.max() - middles.min()) <= 1.0 and len(table) < 3:
            return True
    return False
