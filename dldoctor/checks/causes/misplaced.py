"""Which row of a batch is the first wrong one, in words: for DL404 and DL411."""

from __future__ import annotations

from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import at
from dldoctor.evidence.alignment import Misplaced


def misplaced(first: Misplaced) -> str:
    """Return the first wrong row of a batch: what stands beside what."""
    own, other = first.sources.get(first.path, ()), first.sources.get(first.against, ())
    row = first.first
    theirs = other[row] if row < len(other) else None
    beside = (
        f"beside `{first.against}` of {at(theirs)}" if theirs is not None else f"beside `{first.against}`"
    )
    verb = "is" if len(first.lost) == 1 else "are"
    lost = f"; {listed([at(one) for one in first.lost], shown=3)} {verb} left out of it" if first.lost else ""
    where = f"in batch {first.batch} from row {row} on"
    if row >= len(own):
        return f"{where} `{first.path}` has no row {beside}{lost}"
    mine = own[row]
    what = f"`{first.path}` is of {at(mine)}" if mine is not None else f"`{first.path}` is of another sample"
    return f"{where} {what} {beside}{lost}"
