"""How many probes share the time of one run: each gets a slice of what is left, and what does not fit is left out."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Final

from dldoctor.child.request import ChildRequest

SEVERAL_STARTS: Final = {"reproduction": 3, "resume": 3, "start_methods": 3, "sharding": 3}
"""Probes that import the target in interpreters of their own, with how many imports they take in time."""
LEAST_S: Final = 1.0
OVER: Final = 2.5
"""A probe that takes so many times its slice, and `OVER_S` more, is ended."""
OVER_S: Final = 3.0
TRY: Final = 0.5
"""Share of the time that a probe should need with which it is tried all the same: that was estimated from
the first import, which a cold disk or another program may have slowed down."""
END: Final = 0.05
"""Share of the budget for what comes after the last probe: the machine is measured, the rules judge."""


@dataclass(frozen=True)
class Slice:
    """The time of one probe."""

    seconds: float
    """What it may plan with."""
    stop_after_s: float
    """Then it is ended, and what it had not sent is not judged."""


class TimePlan:
    """Hands out the time of a run, which began when its request was written."""

    def __init__(self, request: ChildRequest) -> None:
        """Begin with nothing done; without `shares` in the request every probe takes what it needs."""
        self._request = request
        self._budget_s = request.limits.time_budget_s if request.shares else None
        self._left = {probe: request.shares.get(probe, 1.0) for probe in request.probes}
        self._began = os.stat(os.path.join(request.staging, "request.json")).st_mtime
        self.import_s = 0.0
        """Seconds that an interpreter takes to load the target."""
        self._unwanted: dict[str, str] = {}

    def loaded(self, spec: Any, *, shares_out: bool = False) -> None:
        """Note how long an interpreter takes to load the target, and which probes it does not need.

        `shares_out` says that its code takes notice of ranks, or of epochs in a sampler of its own.
        """
        self.import_s = time.time() - self._began
        for probe in self._request.probes if self._budget_s is not None else ():
            if probe == "sharding" and shares_out:
                continue
            if reason := unwanted(probe, spec, self._request):
                self._unwanted[probe] = reason
                self._left.pop(probe, None)

    def has_room(self, probe: str) -> bool:
        """Whether a probe whose turn comes later would have time even if the others took half of what is left."""
        if self._budget_s is None:
            return True
        return probe not in self._unwanted and self._room() / 2 > self._least(probe)

    def slice(self, probe: str) -> Slice | str | None:
        """Return the time of a probe, or why it has none; null where time is not shared."""
        if self._budget_s is None or probe in self._unwanted:
            return self._unwanted.get(probe)
        own = self._left.pop(probe, 1.0)
        room, least = self._room(), self._least(probe)
        if probe == self._request.probes[0]:
            room = max(room, least)  # an import that takes all the time must not leave an empty report
        if room < TRY * least:
            return f"the time budget of {self._budget_s:g} s had no room for it; `--time-budget` gives more"
        seconds = min(room, max(least, room * own / (own + sum(self._left.values()))))
        return Slice(seconds, min(OVER * seconds + OVER_S, room))

    def _room(self) -> float:
        assert self._budget_s is not None
        return self._budget_s * (1 - END) - (time.time() - self._began)

    def _least(self, probe: str) -> float:
        return least_s(probe, self.import_s)


def least_s(probe: str, import_s: float) -> float:
    """Return the seconds that a probe needs at least, where an interpreter takes `import_s` to load the target."""
    return LEAST_S + SEVERAL_STARTS.get(probe, 0) * import_s


def unwanted(probe: str, spec: Any, request: ChildRequest) -> str | None:
    """Return why a probe has nothing to tell a run of many about this loader; null if it has."""
    intent = request.intent
    if probe == "sweep" and not (intent.step_ms or intent.step or "step_times_s" in request.options):
        return "who takes the batches, and how fast, is not declared (`--step-ms`, `--step`)"
    if probe == "sharding" and not _is_sharded(spec, request):
        return (
            "no ranks were given (`--ranks N`), and the loader is neither split over workers nor over ranks"
            " nor drawn by a sampler of its own"
        )
    return None


def _is_sharded(spec: Any, request: ChildRequest) -> bool:
    many = spec.kind == "iterable" and spec.num_workers > 1
    drawn = [one for one in (spec.sampler, spec.batch_sampler) if one is not None]
    own = spec.kind == "map" and any(not one.startswith("torch.utils.data.") for one in drawn)
    return bool(request.limits.ranks) or many or own or "Distributed" in (spec.sampler or "")
