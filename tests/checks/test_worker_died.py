"""Edges of DL508 worker-died on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.worker_died import WorkerDied
from dldoctor.evidence import Evidence
from dldoctor.evidence.outcome import Death, OutcomeEvidence, WorkAt
from dldoctor.finding import Level, SourceRef

GB = 1_000_000_000
FRAME = SourceRef("data.py", 31, "__getitem__")


def judge(*deaths):
    return list(WorkerDied().judge(Case(Evidence(outcome=OutcomeEvidence(deaths=deaths)))))


def at(worker=1, stage="getitem", sample=13, rss_bytes=None):
    return WorkAt(worker, 4711, stage, sample, 3, rss_bytes)


@pytest.mark.parametrize(
    ("death", "message"),
    [
        (
            Death(at(rss_bytes=3 * GB // 2), "SIGKILL", None, "loader", memory_limit_bytes=2 * GB),
            "worker 1 was ended by SIGKILL while reading sample 13; it held 1.5 GB of 2 GB allowed when last seen",
        ),
        (
            Death(at(), "SIGKILL", None, "loader", out_of_memory=True),
            "worker 1 was ended by SIGKILL while reading sample 13; the system ran out of memory",
        ),
        (
            Death(at(rss_bytes=GB), "SIGSEGV", None, "loader", FRAME),
            "worker 1 was ended by SIGSEGV while reading sample 13 at data.py:31",
        ),
        (Death(at(None), None, 3, "loader"), "the main process exited with code 3 while reading sample 13"),
        (
            Death(at(0, "collate"), None, 1, "loader"),
            "worker 0 exited with code 1 while collating a batch that ends with sample 13",
        ),
        (
            Death(at(0, "idle"), "SIGTERM", None, "loader"),
            "worker 0 was ended by SIGTERM while waiting (last sample 13)",
        ),
        (
            Death(at(None, "import", None), "SIGABRT", None, "import"),
            "the main process was ended by SIGABRT while importing the target",
        ),
        (Death(at(0, "fetching", None), None, 0, "loader"), "worker 0 exited with code 0 while in fetching"),
    ],
)
def test_says_in_one_sentence_what_ended_and_where(death, message):
    """Signal by name, last sample, line, memory against its limit."""
    (found,) = judge(death)
    assert (found.level, found.message) == (Level.ERROR, message)


@pytest.mark.parametrize(
    ("death", "advice"),
    [
        (
            Death(at(rss_bytes=2 * GB), "SIGKILL", None, "loader", memory_limit_bytes=2 * GB),
            "Lower `num_workers`, `prefetch_factor` or the batch size, or read less of a file at once.",
        ),
        (
            Death(at(rss_bytes=GB), "SIGKILL", None, "loader", memory_limit_bytes=64 * GB),
            "Find who sent the signal (the system's log shows its memory killer), then read sample 13 alone.",
        ),
        (
            Death(at(), "SIGSEGV", None, "loader"),
            "Read sample 13 alone without workers, and look at the compiled code it calls.",
        ),
        (
            Death(at(), "SIGBUS", None, "loader"),
            "Enlarge `/dev/shm`, or look whether a memory-mapped file became shorter.",
        ),
        (Death(at(), "SIGTERM", None, "loader"), "Find who sends this signal to the process."),
        (Death(at(), None, 1, "loader"), "Raise an exception instead of calling `sys.exit` or `os._exit`."),
    ],
)
def test_the_step_depends_on_the_signal(death, advice):
    """Memory, compiled code, shared memory, an exit: each has its own cure."""
    assert judge(death)[0].advice == advice


def test_one_way_of_dying_is_one_finding():
    """The probe that reads directly dies of the same sample as the worker."""
    found = judge(
        Death(at(1), "SIGSEGV", None, "loader"),
        Death(at(None), "SIGSEGV", None, "protocol"),
        Death(at(0, sample=20), "SIGSEGV", None, "loader"),
    )
    assert [(one.samples, one.facts["deaths"]) for one in found] == [((13,), 2), ((20,), 1)]


def test_a_run_without_a_death_is_silent():
    """There is nothing to tell."""
    assert judge() == []


def test_a_later_probe_that_meets_the_same_death_adds_none() -> None:
    """Though the note that it left is of the sample before."""
    found = judge(
        Death(at(1), "SIGKILL", None, "loader"),
        Death(at(1, sample=12), "SIGKILL", None, "memory"),
    )
    assert [one.samples for one in found] == [(13,)]
