"""How the child tells the parent things: one JSON object a line on an inherited pipe."""

from __future__ import annotations

import json
import math
import os
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Turn evidence into JSON values; a number that JSON lacks becomes null."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        # A lone surrogate (a file name that is no valid text) is no JSON text either.
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if value is None or isinstance(value, (int, bool)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return str(value)


class Channel:
    """The child's end of the pipe."""

    def __init__(self, descriptor: int) -> None:
        """Write to the pipe `descriptor`, which stays open in forks of this process."""
        self._descriptor = descriptor

    def send(self, kind: str, **data: Any) -> None:
        """Send one event. A parent that is gone ends this process: nobody waits for it."""
        # Text of the user's data may hold lone surrogates, which UTF-8 refuses.
        line = json.dumps({"kind": kind, **{k: plain(v) for k, v in data.items()}})
        view = memoryview(line.encode("ascii") + b"\n")
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except BrokenPipeError:
            os._exit(141)
