"""How labels agree with the ids that they stand beside: at their place, at the next, or at another."""

from __future__ import annotations

from array import array
from typing import Any

from dldoctor.evidence.labels import LabelGroup, LabelKind
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.tables import FILL

MOST_CLASSES = 64
"""More different labels than this are words, not classes of tokens."""
RUN = 12
"""So many labels in a row are looked for among the ids."""
FEWEST = 4


def kind_of_labels(ids: Any, labels: Any, ignored: int | None) -> LabelKind:
    """Tell labels at their own position, moved by one, of masked words, and classes of tokens."""
    counted = (labels >= 0) if ignored is None else (labels != ignored) & (labels >= 0)
    total = int(counted.sum())
    if not total:
        return "unclear"
    same = int(((labels == ids) & counted).sum()) / total
    if same > 0.75:
        return "same"
    moved = counted[:, :-1]
    ahead = int(((labels[:, :-1] == ids[:, 1:]) & moved).sum()) / max(1, int(moved.sum()))
    if ahead > 0.9 and same < 0.6:
        return "shifted"
    top = int(ids[counted].mode().values)
    if same < 0.3 and total <= 0.4 * labels.numel() and int((ids[counted] == top).sum()) > 0.5 * total:
        return "mlm"
    if max(same, ahead) < 0.3 and not stand_elsewhere(ids, labels, counted):
        return "classes" if int(labels[counted].unique().numel()) <= MOST_CLASSES else "apart"
    return "other"


def agreement(tables: Aligned, group: LabelGroup) -> dict[str, list[Any]]:
    """Return how many labels of each row equal the id of their own position, and that of the next."""
    if tables.labels is None or tables.valid is None or group.decoder:
        return {}
    ids, labels, valid = tables.ids[:, : tables.width], tables.labels, tables.valid
    if ids.shape[1] != tables.ids.shape[1]:
        ids = ids.masked_fill(ids == FILL, -1)
    both = valid[:, :-1]
    compared, followed = valid.sum(1).tolist(), both.sum(1).tolist()
    same = ((labels == ids) & valid).sum(1).tolist()
    ahead = ((labels[:, :-1] == ids[:, 1:]) & both).sum(1).tolist()
    moved = ahead if group.label_kind == "shifted" else same
    lag = [0] * len(compared)
    for row, total in enumerate(compared):
        if total >= FEWEST and 2 * max(same[row], moved[row]) < total:
            lag[row] = _lag(ids[row], labels[row], valid[row])
    return {"compared": compared, "same": same, "followed": followed, "ahead": ahead, "lag": lag}


def stand_elsewhere(ids: Any, labels: Any, counted: Any) -> bool:
    """Whether the labels of most rows are words of the same row that stand somewhere else."""
    rows = [row for row in range(ids.shape[0]) if int(counted[row].sum()) >= FEWEST][:32]
    return bool(rows) and 2 * sum(_lag(ids[row], labels[row], counted[row]) != 0 for row in rows) >= len(rows)


def _lag(ids: Any, labels: Any, counted: Any) -> int:
    """Return by how many positions the first labels in a row stand before the ids that they name; 0 if nowhere."""
    places = counted.nonzero().flatten().tolist()
    start = places[0]
    run = next((at for at, place in enumerate(places) if place != start + at), len(places))
    wanted = labels[start : start + min(run, RUN)].tolist()
    if len(wanted) < FEWEST or len(set(wanted)) < FEWEST - 1:
        return 0
    row, sought = array("q", ids.tolist()).tobytes(), array("q", wanted).tobytes()
    place = row.find(sought)
    while place >= 0 and place % 8:
        place = row.find(sought, place + 1)
    return place // 8 - start if place >= 0 else 0
