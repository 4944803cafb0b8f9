"""Why an index gave another item than its own: decided once for all rules that speak of it.

::

    mutated        reading changes what is stored                            DL116
    index-ignored  the index does not decide the item, for most indices      DL115
    substituted    single samples are replaced, mostly after an exception    DL114
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from dldoctor.evidence import Evidence
from dldoctor.evidence.protocol import Reread, Scatter
from dldoctor.evidence.samples import Substitution

Cause = Literal["mutated", "index-ignored", "substituted"]

MOST = 0.5
"""Share of the indices that must vary before the index as such is said to be ignored."""
CROSSED = 2
"""Reads, at least, that must give the item of another index, where only content tells items apart."""
POOL = 2.0
"""Different items that the reads seem to be drawn from, at most, in multiples of the length. Random
crops of one text repeat now and then too, but out of far more windows than the dataset has items."""


def other_item(evidence: Evidence) -> Cause | None:
    """Return the one cause that explains what was seen, or None."""
    if mutations(evidence):
        return "mutated"
    records = substitutions(evidence)
    after_error = any(record.error for record in records)
    if index_decides_nothing(evidence) and not after_error:
        return "index-ignored"
    return "substituted" if records else None


def mutations(evidence: Evidence) -> tuple[Reread, ...]:
    """Return the items that came back changed and whose stored data had changed with them."""
    rereads = evidence.protocol.rereads if evidence.protocol else ()
    return tuple(item for item in rereads if not item.equal and item.storage_changed)


def substitutions(evidence: Evidence) -> tuple[Substitution, ...]:
    """Return the samples that came back as another one, each index once."""
    seen = evidence.samples.substituted if evidence.samples else ()
    asked = evidence.protocol.substituted if evidence.protocol else ()
    found: dict[object, Substitution] = {}
    for record in (*seen, *asked):
        old = found.get(record.asked)
        if old is None or (old.got is None and record.got is not None):
            found[record.asked] = record
    return tuple(found.values())


def are_stand_ins(evidence: Evidence, samples: Iterable[object]) -> bool:
    """Tell whether blank samples are all what came after an exception that was swallowed."""
    made_up = {record.asked for record in substitutions(evidence) if record.blank is not None}
    return bool(made_up) and set(samples) <= made_up


def index_decides_nothing(evidence: Evidence) -> bool:
    """Tell whether most indices gave now one item, now another, out of one common set."""
    scatter = evidence.protocol.scatter if evidence.protocol else None
    if scatter is None or not _varies(scatter):
        return False
    if scatter.by == "own-id":
        return True  # the dataset itself names another item each time
    length = evidence.protocol.length if evidence.protocol else None
    return scatter.crossed >= CROSSED and length is not None and _pool(scatter) <= POOL * length


def _pool(scatter: Scatter) -> float:
    """Estimate how many items the reads are drawn from: the fewer, the more reads share theirs."""
    reads = scatter.indices * scatter.reads
    alone = 1 - scatter.crossed / reads
    return reads / -math.log(alone) if alone > 0 else 1.0


def seed_decides_all(evidence: Evidence) -> bool:
    """Tell whether random numbers alone decide what comes back, as in random crops of one text."""
    scatter = evidence.protocol.scatter if evidence.protocol else None
    return scatter is not None and scatter.follows_seed and _varies(scatter)


def _varies(scatter: Scatter) -> bool:
    return scatter.indices >= 2 and scatter.reads >= 2 and scatter.varying >= MOST * scatter.indices
