"""Whether random numbers repeat, and which generator is at fault: decided once for DL501 and DL502.

A value repeats if it varies with each read of one and the same item, and yet comes in the same order
from several workers (or in both epochs). What does not vary with the reads is a deterministic item,
or one whose generator is seeded by its index on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dldoctor.checks.base import Case, insufficient, not_applicable
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import Draws, RandomnessEvidence
from dldoctor.finding import SourceRef, Unjudged

Across = Literal["workers", "epochs"]

CHANCE = 1e-4
"""Agreement that independent draws would reach more often than this proves nothing."""


@dataclass(frozen=True)
class Repeat:
    """What repeats, and why."""

    origin: Literal["generator", "made", "init", "reseeded", "unknown"]
    """`generator`: one that an object keeps; `made`: one that each worker makes with the same seed; `init`:
    ``worker_init_fn``; `reseeded`: the dataset's own code seeds a global generator; `unknown`: a state that
    moves with each read, but no generator."""
    values: tuple[Draws, ...]
    sources: tuple[Draws, ...]
    """Generators at fault."""
    across: Across = "workers"


def measured_by(case: Case) -> tuple[RandomnessEvidence, LoaderSpec]:
    """Return the experiment and the loader that it was made with."""
    measured, spec = case.evidence.randomness, case.evidence.loader
    assert measured is not None
    assert spec is not None
    return measured, spec


def judged(case: Case, across: Across) -> Repeat | Unjudged | None:
    """Return what repeats across workers or epochs, or why that cannot be told, or None."""
    found = unjudged(case) or repeat(measured_by(case)[0], across)
    if not isinstance(found, Repeat):
        return found
    return None if _is_known_to_count(case, found) else replace(found, across=across)


def _is_known_to_count(case: Case, found: Repeat) -> bool:
    """Tell whether DL504 has shown that the values depend on what was read before: a counter or a cache."""
    data = case.evidence.worker_data
    if data is None or not data.by_order or found.origin != "unknown":
        return False
    return {one.path for one in found.values} <= data.paths.keys()


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
    if not measured.indices:
        return _of_stream(measured, varying, across)
    natural, pinned, kept = proven("field"), proven("pinned"), proven("generator")
    started = tuple(
        one for one in measured.draws if one.source == "global" and repeats(one) and measured.init_fn
    )
    if kept and (pinned or natural):
        copied = tuple(one for one in kept if not one.made)
        return Repeat("generator" if copied else "made", natural or pinned, copied or kept)
    moving = {one.path for one in measured.draws if one.source == "pinned" and one.by_call > 1}
    still = tuple(one for one in natural if one.path not in moving)
    if still:
        return Repeat("init" if started else "reseeded", still, started)
    return Repeat("unknown", natural, ()) if natural else None


def _of_stream(measured: RandomnessEvidence, varying: tuple[Draws, ...], across: Across) -> Repeat | None:
    """Return what repeats in a stream: its generators were tried one by one."""
    sources = tuple(
        one for one in measured.draws
        if one.fields and (one.across_workers if across == "workers" else one.across_epochs)
    )  # fmt: skip
    kinds = {one: _origin(one, measured) for one in sources}
    for origin in ("generator", "made", "init", "reseeded"):
        if found := tuple(one for one in sources if kinds[one] == origin):
            made = {path for one in found for path in one.fields}
            return Repeat(origin, tuple(one for one in varying if one.path in made) or varying, found)
    return None


def _origin(one: Draws, measured: RandomnessEvidence) -> Literal["generator", "made", "init", "reseeded"]:
    if one.source == "generator":
        return "made" if one.made else "generator"
    return "reseeded" if one.made or measured.init_fn is None else "init"


def place_of(found: Repeat, measured: RandomnessEvidence, spec: LoaderSpec) -> SourceRef | None:
    """Return the place of what holds the generator, or seeds, or else draws."""
    if found.origin == "init":
        return measured.init_ref
    held = found.sources[0].path if found.origin in ("generator", "made") and found.sources else ""
    roots = {
        "collate_fn": spec.collate_ref or spec.made_ref,
        "worker_init_fn": measured.init_ref,
        "batch_sampler": spec.sampler_ref or spec.made_ref,
        "sampler": spec.sampler_ref or spec.made_ref,
    }
    for root, ref in roots.items():
        if held.startswith((f"{root}.", f"{root}[")) or held == root:
            return ref
    if not held and only_batches(found, spec):
        return spec.collate_ref or spec.made_ref
    return spec.dataset_ref


def only_batches(found: Repeat, spec: LoaderSpec) -> bool:
    """Whether the samples themselves do not repeat: what repeats is drawn while they are put together."""
    return not spec.default_collate and all(one.path.startswith("batch.") for one in found.values)


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
    if found.origin == "made":
        each = "each worker" if found.across == "workers" else "each epoch"
        return f"from {names}, made with the same seed in {each}"
    if found.origin == "init":
        return f"because `{measured.init_fn}` puts {names} into the same state"
    if found.origin == "reseeded":
        which = f"{names} " if names else "a global generator "
        # Where samples do not show it, either may have seeded.
        who = (
            "dataset or the collate"
            if all(one.path.startswith("batch.") for one in found.values)
            else "dataset"
        )
        return f"because the {who} itself seeds {which}alike"
    return "from a state that moves with each read: a library's own generator, or a counter"


ADVICE = {
    "generator": "Make the generator in the worker, on first use, from `torch.initial_seed()`.",
    "made": "Seed it from `torch.initial_seed()`, which differs in each worker and epoch.",
    "init": "Seed from `torch.initial_seed()` in `worker_init_fn`, or remove the function.",
    "reseeded": "Remove the seeding from the dataset; PyTorch seeds each worker and epoch differently.",
    "unknown": "If these are random numbers, seed their library from `torch.initial_seed()` in each worker.",
}
"""One step for each origin."""


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
