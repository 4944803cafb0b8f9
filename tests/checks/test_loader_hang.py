"""Edges of DL509 loader-hang on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.loader_hang import LoaderHang
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Death, Hang, OutcomeEvidence, Stack, WorkAt
from dldoctor.finding import Level, SourceRef

FRAME = SourceRef("data.py", 24, "resize")
MAIN = Stack(WorkAt(None, 10, "next"), "MainThread", (SourceRef("dataloader.py", 900, "_try_get_data"),), "S")
WORKER = Stack(WorkAt(1, 12, "getitem", 8), "MainThread", (FRAME, SourceRef("data.py", 50)), "S")
IDLE = Stack(WorkAt(0, 11, "idle", 7), "MainThread", (SourceRef("queues.py", 113, "get"),), "S")


def judge(*hangs, deaths=(), kind="map", start_method="fork"):
    spec = LoaderSpec(kind, "DataLoader", "D", "loader", num_workers=2, start_method=start_method)
    outcome = OutcomeEvidence(deaths=deaths, hangs=hangs)
    return list(LoaderHang().judge(Case(Evidence(loader=spec, outcome=outcome))))


def hang(stacks=(MAIN, IDLE, WORKER), where=FRAME, **more):
    return Hang("loader", 2.04, 2.0, stacks, where, 8, **more)


def test_names_the_worker_that_holds_the_others_up():
    """With its line, its sample and every stack."""
    (found,) = judge(hang())
    assert (
        found.message
        == "no batch came for 2.04 s (deadline 2 s): worker 1 stands at data.py:24 with sample 8"
    )
    assert (found.level, found.where, found.samples) == (Level.ERROR, FRAME, (8,))
    assert [one["process"] for one in found.facts["stacks"]] == ["the main process", "worker 0", "worker 1"]
    assert found.facts["stacks"][2]["frames"] == ["data.py:24 (resize)", "data.py:50"]


def test_the_step_depends_on_what_the_process_does():
    """A lock at the fork, storage, a loop, or something else."""
    storage = Stack(WORKER.at, "MainThread", (FRAME,), "D")
    advice = [
        judge(hang())[0].advice,
        judge(hang((storage,)))[0].advice,
        judge(hang(moving=True))[0].advice,
        judge(hang(), start_method="spawn")[0].advice,
    ]
    assert advice == [
        "Make locks, pools and clients in the worker: one held when it was forked is never released there.",
        "Check the storage that the line named reads from: the process waits for it.",
        "End the loop at the line named, or raise `--timeout` if one sample needs so long.",
        "See what the line named waits for, and give that wait a timeout.",
    ]


def test_without_a_stack_it_still_says_how_far_it_came():
    """A process may refuse to show its frames."""
    (found,) = judge(hang((), None))
    assert (
        found.message
        == "no batch came for 2.04 s (deadline 2 s): 8 samples had been read, no stack could be taken"
    )


def test_a_dead_worker_and_an_endless_stream_have_their_own_rules():
    """One cause, one finding."""
    death = Death(WorkAt(0, 11, "getitem"), "SIGKILL", None, "loader")
    assert judge(hang(), deaths=(death,)) + judge(hang(moving=True), kind="iterable") == []


def test_the_same_line_is_told_once():
    """A direct read hangs where the worker did."""
    assert len(judge(hang(), Hang("protocol", 2.0, 2.0, (), FRAME))) == 1
