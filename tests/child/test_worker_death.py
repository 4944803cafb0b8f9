"""What torch says of a worker that died."""

from __future__ import annotations

import signal

import pytest

from dldoctor.child.worker_death import told_of_worker


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DataLoader worker (pid 17187) is killed by signal: Killed. ", (17187, -signal.SIGKILL)),
        ("DataLoader worker (pid 9) is killed by signal: Segmentation fault. ", (9, -signal.SIGSEGV)),
        ("DataLoader worker (pid 12) exited unexpectedly with exit code 3. Details are lost", (12, 3)),
        ("division by zero", None),
    ],
)
def test_pid_and_code_are_read_from_the_error(text, expected):
    """The only trace of it where the error comes in the middle of our own code."""
    assert told_of_worker(RuntimeError(text)) == expected
