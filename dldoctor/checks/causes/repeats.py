"""Whether random numbers repeat, and which generator is at fault: decided once for DL501 and DL502.

A value repeats if it varies with each read of one and the same item, and yet comes in the same order
from several workers (or in both epochs). What does not vary with the reads is a deterministic item,
or one whose generator is seeded by its index on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.evidence.workers import Draws, RandomnessEvidence
from dldoctor.finding import Unjudged

Across = Literal["workers", "epochs"]

CHANCE = 1e-4
"""Agreement that independent draws would reach more often than this proves nothing."""


@dataclass(frozen=True)
class Repeat:
    """What repeats, and why."""

    origin: Literal["generator", "init", "reseeded", "unknown"]
    """`generator`: one that an object keeps; `init`: ``worker_init_fn``; `reseeded`: the dataset's own
    code seeds a global generator; `unknown`: a state that moves with each read, but no generator."""
    values: tuple[Draws, ...]
    sources: tuple[Draws, ...]
    """Generators at fault."""


def unjudged(case: Case) -> Unjudged | None:
    """Return why repeats cannot be judged, or None."""
    measured = case.evidence.randomness
    assert measured is not None
    if case.intent.role in ("eval", "generate"):
        return not_applicable("what an eval loader draws at random is judged by DL513")
    if measured.failed:
        return insufficient(f"the experiment could not read the items: {measured.failed}")
    return None


def repeat(measured: RandomnessEvidence, across: Across) -> Repeat | None:
    """Return what repeats across workers or epochs, or None."""

    def repeats(one: Draws) -> bool:
        return one.across_workers if across == "workers" else one.across_epochs

    def proven(source: str) -> tuple[Draws, ...]:
        return tuple(
            one for one in measured.draws
            if one.source == source and one.by_call > 1 and repeats(one) and one.chance < CHANCE
        )  # fmt: skip

    varying = tuple(one for one in measured.draws if one.source == "field" and one.by_call > 1)
    if not varying:
        return None
    stream = not measured.indices
    natural, pinned, kept = proven("field"), proven("pinned"), proven("generator")
    started = tuple(
        one for one in measured.draws if one.source == "global" and repeats(one) and measured.init_fn
    )
    if kept and (pinned or natural or stream):
        return Repeat("generator", natural or pinned or varying, kept)
    if stream:
        return Repeat("init", varying, started) if started else None
    moving = {one.path for one in measured.draws if one.source == "pinned" and one.by_call > 1}
    still = tuple(one for one in natural if one.path not in moving)
    if still:
        return Repeat("init" if started else "reseeded", still, started)
    return Repeat("unknown", natural, ()) if natural else None


def values_named(found: Repeat) -> str:
    """Return ```noise` (36 different values in 288 draws)``."""
    first = found.values[0]
    others = f" and {len(found.values) - 1} more" if len(found.values) > 1 else ""
    counts = (
        f" ({first.distinct} different values in {first.drawn} draws)" if first.drawn > first.distinct else ""
    )
    name = "the sample" if first.path == "value" else f"`{first.path}`"
    return f"{name}{others}{counts}"


def origin_named(found: Repeat, measured: RandomnessEvidence) -> str:
    """Return a clause that says where the numbers come from."""
    names = ", ".join(f"`{one.path}`" for one in found.sources[:3])
    if found.origin == "generator":
        return f"from {names}, of which each worker has a copy in the same state"
    if found.origin == "init":
        return f"because `{measured.init_fn}` puts {names} into the same state"
    if found.origin == "reseeded":
        return "because the dataset itself seeds a global generator alike"
    return "from a state that moves with each read: a library's own generator, or a counter"


def facts_of(found: Repeat, measured: RandomnessEvidence) -> dict[str, object]:
    """Return the numbers behind a finding."""
    first = found.values[0]
    return {
        "fields": [one.path for one in found.values],
        "generators": [one.path for one in found.sources],
        "origin": found.origin,
        "drawn": first.drawn,
        "distinct": first.distinct,
        "workers": measured.workers,
        "epochs": measured.epochs,
        "persistent_workers": measured.persistent,
        "first_values": [list(row) for row in first.shown[: 2 * measured.workers]],
        "states": {one.path: [list(row[:1]) for row in one.shown] for one in found.sources},
        "seed_blind": any(one.seed_blind for one in found.sources),
        "init_fn": measured.init_fn,
    }
