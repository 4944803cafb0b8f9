"""Every leaf that cannot be pickled is found, and nothing else."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from types import SimpleNamespace

import torch

from dldoctor.probes.behaviour.pickling import cost, costs, unpicklable


def leaves(**held: object) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one in unpicklable([("d", SimpleNamespace(**held))])]


def test_all_leaves_are_told_at_once(tmp_path: Path) -> None:
    """By path and kind."""

    def inside(x: int) -> int:
        return x

    (tmp_path / "f").write_bytes(b"x")
    with open(tmp_path / "f", "rb") as file:
        found = leaves(
            steps=[max, lambda x: x, inside],
            deep={"lock": threading.Lock()},
            file=file,
            names=(k for k in "ab"),
            n=3,
        )
    assert found == [
        ("d.steps[1]", "lambda"),
        ("d.steps[2]", "local function"),
        ("d.deep['lock']", "lock"),
        ("d.file", "open file"),
        ("d.names", "generator"),
    ]


def test_what_leaves_its_handle_out_is_fine() -> None:
    """`__getstate__` decides what travels."""
    assert unpicklable([("d", Careful())]) == []


class Careful:
    """Drops its lock when it is pickled."""

    def __init__(self) -> None:
        self.lock, self.rows = threading.Lock(), [1, 2]

    def __getstate__(self) -> dict[str, object]:
        return {"rows": self.rows}


def held(method: str) -> list[tuple[str, str]]:
    context = multiprocessing.get_context(method)
    return leaves(value=context.Value("i", 0), lock=context.Lock(), queue=context.Queue())


def test_what_travels_by_inheritance_is_fine() -> None:
    """Locks and shared values are sent while a process is started."""
    assert held("spawn") == []


def test_those_of_another_context_cannot_travel() -> None:
    """A lock made for forks is refused by a spawned process."""
    assert held("fork") == [
        ("d.value", "synchronisation"),
        ("d.lock", "synchronisation"),
        ("d.queue", "synchronisation"),
    ]


def test_tensors_are_counted_and_not_moved() -> None:
    """Their memory stays where it is."""
    tensor = torch.zeros(1000)
    size, _, error = cost({"x": tensor})
    assert error is None
    assert 4000 <= size < 4500
    assert not tensor.is_shared()


def test_parts_are_told_the_dearest_first() -> None:
    """By attribute of the dataset."""
    parts = costs([("dataset", SimpleNamespace(small=[1], large=list(range(5000)))), ("collate_fn", max)])
    assert parts[0].path == "dataset.large"
    assert {part.path for part in parts} == {"dataset.large", "dataset.small", "collate_fn"}


class Guarded:
    """Has a lock for all of its kind, which stays where it is."""

    guard = threading.Lock()

    def __init__(self, step: object) -> None:
        self.step = step


def test_what_the_class_holds_does_not_travel() -> None:
    """Only the lambda is at fault."""
    assert [one.path for one in unpicklable([("d", Guarded(lambda x: x))])] == ["d.step"]
