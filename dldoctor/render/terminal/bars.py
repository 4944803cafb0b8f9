"""A histogram in one line of text."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.evidence.distribution import Bin

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.:-=+*#"


def bars(bins: Sequence[Bin], width: int, ascii_only: bool) -> str:
    """Return one sign a bar, at most `width`; what holds anything is never blank."""
    counts = [item.count for item in bins]
    step = -(-len(counts) // width) if counts else 1
    counts = [sum(counts[i : i + step]) for i in range(0, len(counts), step)]
    top = max(counts, default=0)
    if not top:
        return ""
    signs = _ASCII if ascii_only else _BLOCKS
    return "".join(signs[min(int(8 * n / top), 7)] if n else " " for n in counts)
