"""DL510 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.not_picklable import NotPicklable
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import StartMethodsEvidence, StartTrial, Unpicklable
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2)
WORKS = tuple(StartTrial(method, "works") for method in ("fork", "spawn", "forkserver"))
FINE = StartMethodsEvidence("fork", "3.11.7", "fork", trials=WORKS)
LEAVES = (
    Unpicklable("dataset.steps[1]", "lambda", "PicklingError: x"),
    Unpicklable("dataset.file", "open file", "TypeError: y"),
)
STUCK = replace(
    FINE,
    unpicklable=LEAVES,
    trials=(WORKS[0], StartTrial("spawn", "fails", "x"), StartTrial("forkserver", "fails", "x")),
)


def judge(measured: StartMethodsEvidence, spec: LoaderSpec = SPEC) -> list[object]:
    return list(NotPicklable().judge(Case(Evidence(loader=spec, start_methods=measured))))


def test_every_leaf_is_listed_with_its_cure() -> None:
    """An error under the method in force."""
    (found,) = judge(replace(STUCK, in_force="spawn"))
    assert found.level is Level.ERROR
    assert found.message == (
        "`dataset.steps[1]` (lambda) and `dataset.file` (open file) cannot be pickled, so no worker starts under"
        " `spawn`, which this loader uses"
    )
    assert [one["cure"] for one in found.facts["leaves"]] == [
        "write it as a function at the top of a module",
        "open it in the worker, on first use, and leave it out in `__getstate__`",
    ]


def test_under_another_method_it_is_info() -> None:
    """Forked workers need no pickle; without workers nobody does."""
    assert [one.level for one in judge(STUCK)] == [Level.INFO]
    without = replace(SPEC, num_workers=0)
    assert [one.level for one in judge(replace(STUCK, in_force="spawn"), without)] == [Level.INFO]


def test_a_worker_that_cannot_unpickle_is_told_too() -> None:
    """Everything could be sent, and nothing be made of it."""
    trials = (WORKS[0], StartTrial("spawn", "fails", "ModuleNotFoundError: no"), WORKS[2])
    (found,) = judge(replace(FINE, in_force="spawn", trials=trials))
    assert (found.level, found.message) == (
        Level.ERROR,
        "no worker starts under `spawn`, which this loader uses: ModuleNotFoundError: no",
    )


def test_what_fails_under_every_method_is_not_the_methods_fault() -> None:
    """A sample that raises does so everywhere."""
    trials = tuple(
        StartTrial(method, "fails", "ValueError: bad") for method in ("fork", "spawn", "forkserver")
    )
    assert judge(replace(FINE, trials=trials)) == []
    assert judge(FINE) == []
