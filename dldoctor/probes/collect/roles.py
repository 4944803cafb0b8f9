"""Which field is what, and the padding that follows from it."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.batches import PaddingEvidence
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.collect.padding import PaddingCollector
from dldoctor.probes.look import one_thread

_BATCHES = 3
"""Batches that roles are inferred from."""
SURE = 0.7


class RoleWatch:
    """Infers roles from the first batches and measures padding in all of them."""

    def __init__(self, intent: Intent) -> None:
        """Start; declared fields and ids of `intent` come first."""
        from dldoctor.roles import RoleObserver

        self.intent = intent
        self._observer = RoleObserver()
        self._waiting: list[tuple[Any, list[SampleId]]] = []
        """The first batches, until there are enough to infer from."""
        self._roles: dict[str, Inferred] | None = None
        self._padding: PaddingCollector | None = None

    def see(self, batch: Any, samples: list[SampleId]) -> None:
        """Look at one batch."""
        if self._roles is not None:
            self._measure(batch, samples)
            return
        self._waiting.append((batch, samples))
        if len(self._waiting) == _BATCHES:
            self.settle()

    def settle(self) -> None:
        """Infer the roles from the batches so far."""
        if self._roles is not None or not self._waiting:
            return
        with one_thread():
            for batch, _ in self._waiting:
                try:
                    self._observer.batch(batch)
                except Exception:  # noqa: BLE001, S112 - objects of the user's that answer no question
                    continue
            self._roles = self._observer.roles(self.intent.fields)
        for batch, samples in self._waiting:
            self._measure(batch, samples)
        self._waiting = []

    def _measure(self, batch: Any, samples: list[SampleId]) -> None:
        from dldoctor.roles import leaves, padding_of

        path = self._path_of("token_ids")
        if path is None:
            return
        found = dict(leaves(batch))
        tokens, mask_path = found.get(path), self._path_of("attention_mask")
        if tokens is None or getattr(tokens, "ndim", 0) != 2:
            return
        mask = found.get(mask_path) if mask_path else None
        if mask is not None and mask.shape == tokens.shape:
            with one_thread():
                lengths = (mask != 0).sum(dim=1).tolist()
            source = f"`{mask_path}`"
        else:
            with one_thread():
                padding = padding_of(tokens, None, self.intent.pad_id)
            lengths, source = list(padding.lengths), padding.source
        if self._padding is None or self._padding.path != path:
            self._padding = PaddingCollector(path, source, self.intent.max_length)
        self._padding.add(int(tokens.shape[1]), lengths, samples)

    def _path_of(self, role: str) -> str | None:
        roles = self._roles or {}
        paths = [p for p, found in roles.items() if found.role == role and found.confidence >= SURE]
        return max(paths, key=lambda p: roles[p].confidence, default=None)

    def padding(self) -> PaddingEvidence | None:
        """Return the padding so far, where there are tokens."""
        return self._padding.evidence() if self._padding else None

    def inferred(self) -> dict[str, Inferred]:
        """Return the roles so far."""
        return self._roles or {}
