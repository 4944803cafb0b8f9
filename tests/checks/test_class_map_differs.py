"""Maps of classes: what moved, what only one side has, what is not compared."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.class_map_differs import ClassMapDiffers
from dldoctor.evidence import Evidence
from dldoctor.evidence.splits import ClassMap, Side, SplitsEvidence
from dldoctor.finding import Finding


def side(role: str, *maps: dict[str, int]) -> Side:
    found = tuple(ClassMap(f"dataset.map{number}", ids) for number, ids in enumerate(maps))
    return Side("data.py:x", role, 10, 2, shuffle=False, drop_last=False, settings_known=True, classes=found)


def judged(first: Side, second: Side) -> list[str]:
    found = ClassMapDiffers().judge(Case(Evidence(splits=SplitsEvidence(first, second))))
    return [one.message if isinstance(one, Finding) else one.status for one in found]


def test_classes_whose_id_moved_are_named():
    """With the class that moved them."""
    assert judged(side("train", {"a": 0, "b": 1, "c": 2}), side("eval", {"a": 0, "c": 1})) == [
        "1 class of 2 that both sides have has another id in eval than in train: `c` 2 and 1; `b` only one side has"
    ]


def test_a_hidden_folder_moves_all():
    """It sorts before the others."""
    moved = {".ipynb_checkpoints": 0, "a": 1, "b": 2}
    assert judged(side("train", {"a": 0, "b": 1}), side("eval", moved)) == [
        (
            "2 classes of 2 that both sides have have another id in eval than in train: `a` 0 and 1, `b` 1 and 2; "
            "`.ipynb_checkpoints` only one side has"
        )
    ]


def test_fewer_classes_with_the_same_ids_are_clean():
    """Evaluation need not have all."""
    assert judged(side("train", {"a": 0, "b": 1, "c": 2}), side("eval", {"a": 0, "c": 2})) == []


def test_maps_of_other_things_are_not_compared():
    """The first pair that shares a class is."""
    assert judged(side("train", {"x": 0}), side("eval", {"a": 0})) == ["not-applicable"]
    assert judged(side("train"), side("eval", {"a": 0})) == ["not-applicable"]
    assert judged(side("train", {"x": 0}, {"a": 0}), side("eval", {"a": 0})) == []
