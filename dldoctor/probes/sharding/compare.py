"""Orders of epochs and random numbers of ranks, compared."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.coverage import DrawsEvidence, OrderEvidence
from dldoctor.probes.sharding.given import Given
from dldoctor.probes.sharding.ranks import Ended

LEAST = 8
"""Items of a rank below which an equal order says nothing."""


def order(ran: list[Ended], given: Given) -> OrderEvidence | None:
    """Tell whether the first two epochs of a rank have the same order."""
    one = next((one for one in ran if len(given.epochs[one.rank]) > 1), None)
    if one is None:
        return None
    first, second = given.epochs[one.rank][:2]
    result = one.result
    shuffles, why = _shuffles(result, first.first)
    enough = first.items >= LEAST and first.complete and second.complete and given.by != "nothing"
    unannounced = _same_unannounced(result)
    return OrderEvidence(
        shuffles=shuffles,
        why=why,
        announced=tuple(result["announced"]),
        same=first.order == second.order if enough else None,
        same_unannounced=unannounced if first.items >= LEAST else None,
        first=(first.first, second.first),
    )


def _same_unannounced(result: dict[str, Any]) -> bool | None:
    drawn = result.get("unannounced")
    return None if not drawn or len(drawn) < 2 else drawn[0] == drawn[1]


def _shuffles(result: dict[str, Any], first: tuple[str, ...]) -> tuple[bool | None, str]:
    spec = result["spec"]
    if result["kind"] == "iterable":
        name = result.get("shuffle_name")
        return (True, f"`{name}`") if name else (None, "a stream does not say whether its order is shuffled")
    if spec["shuffle"] is not None:
        return bool(spec["shuffle"]), f"the sampler {'shuffles' if spec['shuffle'] else 'does not shuffle'}"
    numbers = [int(index) for index in first]
    if numbers == sorted(numbers):
        return False, "the indices rise"
    if taken := result.get("epoch_taken"):
        return True, f"`set_epoch` changes the state of `{taken[0]}`, and its indices do not rise"
    return None, "the sampler does not say whether it shuffles"


def draws(results: dict[int, dict[str, Any]]) -> DrawsEvidence | None:
    """Compare the reads of the same items by the first two ranks that made them."""
    read = {rank: result["draws"] for rank, result in results.items() if result.get("draws")}
    if len(read) < 2:
        return None
    (a, one), (b, two) = sorted(read.items())[:2]
    pairs = [(x, y) for x, y in zip(one, two, strict=False) if x[:2] == y[:2] and x[2] and y[2]]
    if not pairs:
        return None
    return DrawsEvidence(
        reads=len(pairs),
        equal=sum(x[2] == y[2] for x, y in pairs),
        random=_varies(one) and _varies(two),
        pair=(a, b),
    )


def _varies(reads: list[list[Any]]) -> bool:
    """Whether one worker met other content when it read the same item again."""
    by_item: dict[tuple[Any, Any], set[str]] = {}
    for worker, index, content in reads:
        by_item.setdefault((worker, index), set()).add(content)
    return any(len(found) > 1 for found in by_item.values())
