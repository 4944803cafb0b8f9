"""torch raises in the main process, wherever that is, when a worker dies: also in the middle of our own code."""

from __future__ import annotations

import re
import signal
from typing import Final

from dldoctor.child.session import Session

_KILLED: Final = re.compile(r"DataLoader worker \(pid (\d+)\) is killed by signal: ([^.]+)\.")
_EXITED: Final = re.compile(r"DataLoader worker \(pid (\d+)\) exited unexpectedly with exit code (\d+)")


def told_of_worker(error: BaseException) -> tuple[int, int] | None:
    """Return pid and exit code (negative: signal) where that is what an error says."""
    text = str(error)
    if found := _KILLED.search(text):
        names = {signal.strsignal(one): one for one in signal.Signals}
        return int(found[1]), -names.get(found[2], signal.SIGKILL)
    if found := _EXITED.search(text):
        return int(found[1]), int(found[2])
    return None


def report_worker(error: BaseException, session: Session) -> bool:
    """Report a death that an error tells of; return whether it does. The probe that it met has no result."""
    told = told_of_worker(error)
    if told is None:
        return False
    pid, code = told
    slots = {note.pid: slot for slot, note in session.board.read().items()}
    session.channel.send("death", worker=slots.get(pid, 1) - 1, pid=pid, code=code, phase=session.phase)
    session.channel.send("left-out", probe=session.phase, reason="a worker died while it was measured")
    return True
