"""What workers print on standard error is kept and passed on."""

from __future__ import annotations

import os

import pytest

from dldoctor.probes.behaviour.overheard import Overheard, reason_in

ENDED = """Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "data.py", line 3, in <module>
    import nothing_here
ModuleNotFoundError: No module named 'nothing_here'
resource_tracker: There appear to be 2 leaked semaphore objects
"""


def test_the_last_exception_is_why() -> None:
    """What other processes print after it is not."""
    assert reason_in(ENDED) == "ModuleNotFoundError: No module named 'nothing_here'"
    assert reason_in("a\n\nout of memory\nkilled\n") == "out of memory / killed"
    assert reason_in("") == ""


def test_what_was_kept_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    """The user sees it as without us."""
    with Overheard() as heard:
        os.write(2, ENDED.encode())
        assert heard.said() == "ModuleNotFoundError: No module named 'nothing_here'"
    assert capfd.readouterr().err == ENDED
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"
