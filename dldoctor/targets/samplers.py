"""What the sampler of a loader does: shuffle, repeat, split between ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dldoctor.foreign import attribute

_DEPTH = 6


@dataclass(frozen=True)
class SamplerFacts:
    """What is known about the order in which samples are drawn."""

    shuffle: bool | None
    """Null where it is not known."""
    replacement: bool
    world_size: int
    weights: int | None = None
    """Items that a sampler has weights for; it draws no other."""


def sampler_facts(loader: Any, *, streams: bool) -> SamplerFacts:
    """Look through the batch sampler and the wrappers around the sampler."""
    if streams:
        return SamplerFacts(None, replacement=False, world_size=1)
    chain = chain_of(outermost(loader))
    shuffle = next((known for s in chain if (known := _shuffles(s)) is not None), None)
    replacement = any(_replaces(s) for s in chain)
    worlds = [n for s in chain if isinstance(n := _own(s, "num_replicas", "num_processes"), int)]
    return SamplerFacts(shuffle, replacement, max(worlds, default=1), _weights(chain))


def outermost(loader: Any) -> Any:
    """Return what draws the batches of a loader, or its items where nothing puts them into batches."""
    # Not `or`: an infinite sampler has no length, and so no truth value.
    return loader.batch_sampler if loader.batch_sampler is not None else loader.sampler


def chain_of(sampler: Any) -> list[Any]:
    """Return the sampler and what it draws from, outermost first."""
    chain: list[Any] = []
    while sampler is not None and len(chain) < _DEPTH and not any(sampler is s for s in chain):
        chain.append(sampler)
        inner = _own(sampler, "sampler", "batch_sampler", "base_sampler")
        sampler = _held(sampler) if inner is None else inner
    return chain


def _held(sampler: Any) -> Any:
    """Return the sampler that another one keeps under a name of its own."""
    from torch.utils.data import Sampler

    values = attribute(sampler, "__dict__", {})
    return next((one for one in values.values() if isinstance(one, Sampler)), None)


def _own(sampler: Any, *names: str) -> Any:
    values = attribute(sampler, "__dict__", {})
    return next((values[n] for n in names if values.get(n) is not None), None)


def _shuffles(sampler: Any) -> bool | None:
    from torch.utils.data import RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

    if isinstance(sampler, RandomSampler | SubsetRandomSampler | WeightedRandomSampler):
        return True
    if isinstance(sampler, SequentialSampler | range):
        return False
    # DistributedSampler and most samplers that users write keep the switch under this name.
    switch = _own(sampler, "shuffle")
    return switch if isinstance(switch, bool) else None


def _weights(chain: list[Any]) -> int | None:
    from torch.utils.data import WeightedRandomSampler

    return next((len(one.weights) for one in chain if isinstance(one, WeightedRandomSampler)), None)


def _replaces(sampler: Any) -> bool:
    from torch.utils.data import WeightedRandomSampler

    default = isinstance(sampler, WeightedRandomSampler)
    return attribute(sampler, "replacement", default) is True
