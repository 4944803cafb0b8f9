"""Forks of probes that start interpreters: what these import takes seconds, in which other probes run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from dldoctor.child.channel import Channel
from dldoctor.child.fresh import can_start
from dldoctor.child.probe_fork import Probe, ProbeFork, cannot_fork, start_probe
from dldoctor.child.request import ChildRequest
from dldoctor.child.session import Session


class EarlyForks:
    """The forks that were made before it was the turn of their probes; none of them runs the user's code yet."""

    def __init__(self, pipeline: Any, request: ChildRequest, channel: Channel) -> None:
        """Begin with none."""
        self._pipeline, self._request, self._channel = pipeline, request, channel
        self._forks: dict[str, ProbeFork] = {}

    def start(self, names: Collection[str], probes: dict[str, Probe]) -> None:
        """Fork for those of the probes that can prepare themselves."""
        if cannot_fork() or not can_start(self._request):
            return
        for name, prepare in _prepares().items():
            if name not in names:
                continue
            fork = start_probe(name, probes[name], self._pipeline, self._request, self._channel, prepare)
            self._forks[name] = fork
            # A probe that is ended from outside is ended with all processes but the holder and these.
            self._channel.send("early", pid=fork.pid)

    def take(self, name: str) -> ProbeFork | None:
        """Return the fork of a probe whose turn it is; null also where something ended it."""
        fork = self._forks.pop(name, None)
        return fork if fork is not None and fork.lives() else None

    def end(self) -> None:
        """End those whose turn did not come."""
        while self._forks:
            self._forks.popitem()[1].end()


def _prepares() -> dict[str, Callable[[Session], Any]]:
    from dldoctor.probes.behaviour import reproduction

    return {"reproduction": reproduction.prepare}
