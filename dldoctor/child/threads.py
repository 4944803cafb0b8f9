"""What is running beside the main thread when a process is about to be forked."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

_FORKED_AFTER_USE = b"after parallelism has already been used"


def beside_main() -> dict[str, list[str]]:
    """Return the names of Python threads, and of libraries whose used thread pool a fork cuts off."""
    main = threading.main_thread()
    return {
        "python": [
            _named(thread) for thread in threading.enumerate() if thread is not main and thread.is_alive()
        ],
        "pools": ["tokenizers"] if _tokenizers_were_used() else [],
    }


def _named(thread: threading.Thread) -> str:
    target: Any = getattr(thread, "_target", None)
    name = getattr(target, "__qualname__", None)
    return thread.name if name is None or name in thread.name else f"{thread.name} ({name})"


def _tokenizers_were_used() -> bool:
    """Ask a fork: the library itself says there, and only there, that its pool was at work before."""
    if "tokenizers" not in sys.modules or not hasattr(os, "fork"):
        return False
    read_end, write_end = os.pipe()
    kept = os.dup(2)
    os.dup2(write_end, 2)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.dup2(kept, 2)
    os.close(kept)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return _FORKED_AFTER_USE in said
