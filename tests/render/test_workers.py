"""The section of the experiments, as content and on a terminal of 80 columns."""

from __future__ import annotations

from dldoctor.evidence import Evidence
from dldoctor.evidence.workers import (
    CopiesEvidence,
    Draws,
    FirstDifference,
    Handle,
    HandlesEvidence,
    RandomnessEvidence,
    ReproductionEvidence,
    ResumeEvidence,
    StartMethodsEvidence,
    StartTrial,
    Travel,
    WorkerDataEvidence,
)
from dldoctor.render.content.workers import DrawRow, ExperimentRow, draw_rows, experiment_rows
from dldoctor.render.html import page
from dldoctor.render.terminal import plain
from dldoctor.report import Report
from tests.render.reports import report_of

NOISE = Draws("field", "noise", 288, 36, 12, True, False, 1e-30, shown=(("0.63", "0.27"),))
EVIDENCE = Evidence(
    randomness=RandomnessEvidence(4, False, 2, 12, (0, 5), False, "fork", draws=(NOISE,)),
    worker_data=WorkerDataEvidence(64, 4, "fork", changed=3, provoked=("dataset.file",)),
    handles=HandlesEvidence(handles=(Handle("dataset.file", "open file", "a.bin"),), objects=7),
    copies=CopiesEvidence(3, 2, True, travels=(Travel("dataset.epoch", ("0", "1", "2"), ("0", "0", "0")),)),
    start_methods=StartMethodsEvidence(
        "fork",
        "3.11.7",
        "fork",
        size_bytes=2000,
        trials=(StartTrial("fork", "works", first_batch_ns=5_000_000),),
    ),
    reproduction=ReproductionEvidence(7, 16, FirstDifference(2, ("x",)), "clock"),
    resume=ResumeEvidence(3, "ids", ("1",), ("1",)),
)


def _report() -> Report:
    return report_of(EVIDENCE, [], command="check-workers")


def test_each_experiment_says_what_it_compared_and_how_it_came_out() -> None:
    """One row each."""
    assert experiment_rows(_report()) == (
        ExperimentRow(
            "random numbers",
            "2 items, read 12 times each by 4 workers (fork) in 2 epochs",
            "1 field drawn at random",
        ),
        ExperimentRow(
            "same data",
            "64 items, pinned, from 4 workers and from none, with pauses in shared files",
            "3 differ",
        ),
        ExperimentRow(
            "held open", "7 objects, before and after a first read", "1 open before, 0 opened by the read"
        ),
        ExperimentRow(
            "epochs",
            "attributes in the main process and in workers, 3 epochs",
            "dataset.epoch: 0/1/2 there, 0/0/0 in workers",
        ),
        ExperimentRow("start methods", "one worker by each; pickled 2 kB", "fork works (5 ms)"),
        ExperimentRow(
            "reproduction", "16 batches of two fresh processes with seed 7", "differ from batch 2 on: clock"
        ),
        ExperimentRow("resume", "what follows batch 3, with and without a stop there", "equal"),
    )


def test_draws_are_compared_between_workers_and_epochs() -> None:
    """Only those that vary with the reads."""
    assert draw_rows(_report()) == (DrawRow("noise", "36 of 288", "the same", "differ", "0.63 0.27"),)


def test_both_views_have_the_section() -> None:
    """The terminal fits 80 columns."""
    text = plain(_report())
    assert "Experiments" in text
    assert "noise  36 of 288  the same         differ          0.63 0.27" in text
    assert max(map(len, text.splitlines())) <= 80
    assert 'id="experiments"' in page(_report())
