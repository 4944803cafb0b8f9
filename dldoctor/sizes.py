"""Sizes as people write them: ``64MB``, ``2GiB``, ``65536``."""

from __future__ import annotations

import re

UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
"""Bytes in a unit, in lower case; a bare letter is binary, as in Docker's ``--shm-size``."""


def parse_bytes(text: str) -> int:
    """Return the number of bytes that a size means.

    Raises:
        ValueError: it is no size.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    if not match or match[2].lower() not in UNITS:
        raise ValueError(f"{text!r} is not a size; write bytes, or a number with MB, GB, MiB or GiB")
    return int(float(match[1]) * UNITS[match[2].lower()])
