"""Reads the beginning of a stream in one worker, and notes which generators there are and where they stand."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from dldoctor.probes.behaviour import generators as gens
from dldoctor.probes.behaviour.graph import walk
from dldoctor.probes.behaviour.iterators import names_in
from dldoctor.probes.behaviour.likeness import sketch
from dldoctor.probes.behaviour.stand_in import StandIn
from dldoctor.probes.digest import digests
from dldoctor.probes.frames import one_line
from dldoctor.probes.sharding.keys import keys_of
from dldoctor.roles.flatten import leaves

SAMPLES = 48
SECONDS = 2.0
"""No more samples are read after so long."""
OTHER_SEED = 90_210
GLOBAL = "global:"

Record = dict[str, Any]


class StreamReads(StandIn):
    """A stream of which each worker reads its own first samples, as its one item."""

    def __getitem__(self, job: int) -> Record:
        """Read; after the first sample disturb the generator that the settings name."""
        settings = self._dldoctor_settings
        record: Record = {"worker": self.worker, "marks": [], "sketches": [], "ids": []}
        kept = gens.private_generators([("dataset", self._dldoctor_inner), *settings["others"]])
        record["started"] = _marks(kept) | _globals()
        deadline = time.monotonic() + SECONDS
        self.note("iter", 0)
        try:
            samples = iter(self._dldoctor_inner)
            for ordinal, sample in enumerate(islice(samples, SAMPLES)):
                self.note("iter", ordinal + 1)
                if ordinal == 0:
                    made = _made(samples, self._dldoctor_inner, kept)
                    record["origins"] = _origins(kept | made) | _global_origins()
                    record["made"] = sorted(made)
                    _disturb(settings["disturb"], kept | made)
                _take(record, sample)
                if time.monotonic() > deadline:
                    break
        except Exception as error:  # noqa: BLE001 - the user's code
            record["failed"] = one_line(error)
        self.note("idle", "")
        return record


def _take(record: Record, sample: Any) -> None:
    record["marks"].append(digests(sample))
    record["sketches"].append({path: found for path, leaf in leaves(sample) if (found := sketch(leaf))})
    record["ids"].append(keys_of(sample, None).own)


def _made(samples: Any, dataset: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """Return the generators that came to be with the first sample: kept from now on, or the iterator's own."""
    known = {id(one) for one in kept.values()}
    found: dict[str, Any] = {}
    for path, value in walk([("dataset", dataset), *names_in(samples)]):
        if gens.is_generator(value) and id(value) not in known:
            known.add(id(value))
            found[path] = value
    return found


def _marks(generators: dict[str, Any]) -> dict[str, str]:
    return {path: gens.mark_of(gens.state_of(one)) for path, one in generators.items()}


def _origins(generators: dict[str, Any]) -> dict[str, str]:
    return {path: gens.mark_of(gens.origin_of(one)) for path, one in generators.items()}


def _globals() -> dict[str, str]:
    return {GLOBAL + name: mark for name, mark in gens.shown_states(gens.global_states()).items()}


def _global_origins() -> dict[str, str]:
    return {GLOBAL + name: gens.mark_of(one) for name, one in gens.global_origins().items()}


def _disturb(path: str | None, generators: dict[str, Any]) -> None:
    """Put one generator, or all of them, into another state."""
    wanted = [one for name, one in generators.items() if path in (name, EVERYTHING)]
    for one in wanted:
        gens.reseed(one, OTHER_SEED)
    for name, seed in _GLOBALS.items():
        if path in (GLOBAL + name, EVERYTHING):
            seed()


def _seed_random() -> None:
    import random

    random.seed(OTHER_SEED)


def _seed_numpy() -> None:
    import numpy as np

    np.random.seed(OTHER_SEED)  # noqa: NPY002 - the global generator is what users draw from


def _seed_torch() -> None:
    import torch

    torch.default_generator.manual_seed(OTHER_SEED)


EVERYTHING = "*"
_GLOBALS: dict[str, Callable[[], None]] = {"random": _seed_random, "numpy": _seed_numpy, "torch": _seed_torch}
