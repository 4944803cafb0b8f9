"""Tells the loader which epoch begins, as a training loop would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.targets import Pipeline
from dldoctor.targets.named_object import find_object

NOBODY = "none"
"""What ``--set-epoch`` takes where the loop announces nothing."""


class Announcer:
    """Calls the user's hook, or `set_epoch` where it is usually found."""

    def __init__(self, pipeline: Pipeline, declared: str | None) -> None:
        """Look for what can be called; `declared` is ``FILE:NAME``, ``none``, or nothing."""
        self._pipeline = pipeline
        self._hook: Callable[[Any, int], Any] | None = None
        self.silent = declared == NOBODY
        if declared and not self.silent:
            self._hook = find_object(declared, option="--set-epoch")
        self._owners = [] if self.silent or self._hook else _owners(pipeline)
        self.taken: dict[str, None] = {}
        """Those whose own numbers changed when an epoch was announced: they mean to do something with it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return where the epoch is announced."""
        return ("--set-epoch",) if self._hook else tuple(name for name, _ in self._owners)

    def epoch(self, number: int) -> None:
        """Announce an epoch."""
        if self._hook is not None:
            self._hook(self._pipeline.loader, number)
        for name, owner in self._owners:
            before = _numbers(owner)
            owner.set_epoch(number)
            if _numbers(owner) != before:
                self.taken[name] = None


def _numbers(owner: Any) -> dict[str, int]:
    return {name: one for name, one in attribute(owner, "__dict__", {}).items() if type(one) is int}


def _owners(pipeline: Pipeline) -> list[tuple[str, Any]]:
    inner = pipeline.torch_loader
    places: list[tuple[str, Any]] = [("loader", pipeline.loader)]
    if inner is not None:
        state = vars(inner)
        batch_sampler = state.get("batch_sampler")
        places += [
            ("sampler", state.get("sampler")),
            ("batch_sampler", batch_sampler),
            ("batch_sampler.sampler", getattr(batch_sampler, "sampler", None)),
            ("sampler.sampler", attribute(state.get("sampler"), "sampler", None)),
            ("dataset", pipeline.dataset),
        ]
    found: list[tuple[str, Any]] = []
    for name, owner in places:
        known = owner is None or any(owner is other for _, other in found)
        if not known and callable(attribute(owner, "set_epoch", None)):
            found.append((name, owner))
    return found
