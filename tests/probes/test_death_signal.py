"""A worker's death is not told in the middle of making a temporary file."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dldoctor.probes.death_signal import spare_temporary_files


class ToldError(Exception):
    """What the handler raises, as torch's raises a RuntimeError."""


@pytest.fixture
def handler() -> Iterator[None]:
    """A handler that raises, with the guard around it."""

    def tell(signum: int, frame: object) -> None:
        raise ToldError

    before = signal.signal(signal.SIGCHLD, tell)
    spare_temporary_files()
    yield
    signal.signal(signal.SIGCHLD, before)


def test_a_signal_elsewhere_is_told(handler: None) -> None:
    """Where no file is being made nothing changes, and a second guard is not put around the first."""
    spare_temporary_files()
    guard = signal.getsignal(signal.SIGCHLD)
    spare_temporary_files()
    assert signal.getsignal(signal.SIGCHLD) is guard
    with pytest.raises(ToldError):
        os.kill(os.getpid(), signal.SIGCHLD)


def test_a_file_that_is_being_made_is_not_left_behind(
    handler: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that arrives once the file exists, and before anybody holds it, raises nothing."""
    plain = os.open

    def opened(*arguments: object, **options: object) -> int:
        descriptor = plain(*arguments, **options)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGCHLD)
        return descriptor

    monkeypatch.setattr(os, "open", opened)
    with tempfile.NamedTemporaryFile(dir=tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []
