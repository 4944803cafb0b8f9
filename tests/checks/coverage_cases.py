"""Coverage evidence made by hand, for the rules that judge it."""

from __future__ import annotations

from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.evidence import Evidence
from dldoctor.evidence.coverage import (
    CoverageEvidence,
    EpochCoverage,
    Overlap,
    RankCoverage,
    RankEpoch,
    WorkerShare,
)
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Unjudged
from dldoctor.intent import Intent


def spec(**settings: Any) -> LoaderSpec:
    given = {"kind": "map", "given": "loader", "batch_size": 4, "shuffle": True, **settings}
    return LoaderSpec(loader_type="DataLoader", dataset_type="Set", **given)


def rank(number: int, batches: tuple[int, ...] = (3, 3), items: int = 10, **facts: Any) -> RankCoverage:
    workers = facts.pop("workers", ())
    tail = facts.pop("tail", 2)
    epochs = tuple(
        RankEpoch(epoch, items, count, items, tail=tail, workers=workers)
        for epoch, count in enumerate(batches)
    )
    return RankCoverage(number, items, batches[0] if batches else 0, epochs=epochs, **facts)


def workers(*items: int, tail: int = 2) -> tuple[WorkerShare, ...]:
    return tuple(WorkerShare(number, own, -(-own // 4), tail) for number, own in enumerate(items))


def coverage(
    shares: dict[tuple[int, int], tuple[int, int]] | None = None,
    *,
    ranks: tuple[RankCoverage, ...] | None = None,
    epoch: dict[str, Any] | None = None,
    items: int = 20,
    **facts: Any,
) -> CoverageEvidence:
    """Two ranks of 10 items each; `shares` maps pairs of ranks to shared items and the smaller count."""
    ranks = (rank(0), rank(1)) if ranks is None else ranks
    first = {
        "issued": items, "distinct": items, "never": 0, "once": items, "more": 0, **(epoch or {}),
    }  # fmt: skip
    given = {
        "by": "index",
        "world_size": len(ranks),
        "ran": len(ranks),
        "dataset_size": items,
        "rank_overlaps": tuple(
            Overlap(a, b, *counts) for (a, b), counts in (shares or {(0, 1): (0, 10)}).items()
        ),
        **facts,
    }
    return CoverageEvidence(
        items=items,
        seen_never=first["never"],
        seen_once=first["once"],
        seen_more=first["more"],
        ranks=ranks,
        epochs=(EpochCoverage(0, **first), EpochCoverage(1, **first)),
        **given,
    )


def judged(
    check: Check, found: CoverageEvidence, loader: LoaderSpec | None = None, **intent: Any
) -> list[tuple]:
    """Return level and message of findings, status and reason of what is not judged."""
    case = Case(Evidence(loader=loader or spec(), coverage=found), Intent(**intent))
    return [
        (one.status, one.reason) if isinstance(one, Unjudged) else (one.level.value, one.message)
        for one in check.judge(case)
    ]
