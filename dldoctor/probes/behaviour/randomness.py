"""Probe ``randomness``: the same items in several workers and two epochs, in the same order."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import EvalValue, RandomnessEvidence
from dldoctor.probes.behaviour.agreement import draws
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.behaviour.epochs import read_epochs
from dldoctor.probes.behaviour.graph import roots
from dldoctor.probes.behaviour.repeat import Record, Repeated, short
from dldoctor.probes.behaviour.stand_in import config_of, method_of
from dldoctor.probes.behaviour.stream_draws import StreamDraws, StreamExperiment
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.frames import one_line
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline
from dldoctor.targets.collate import is_default_collate
from dldoctor.targets.source_ref import name_of, source_of

WORKERS = 4
EPOCHS = 2
READS = 12
INDICES = 3
EVAL_READS = 5
SECONDS = 6.0
"""Time that all reads together may take, from what one read took."""
SEEDS = (7, 8)


def run(pipeline: Pipeline, session: Session) -> None:
    """Measure, and send."""
    loader, spec = pipeline.torch_loader, pipeline.spec
    if loader is None or pipeline.dataset is None:
        session.missing("randomness", "only the batches of this loader can be seen, not its dataset")
        return
    if pipeline.asks is not None:
        session.missing("randomness", pipeline.no_index)
        return
    indices = _indices(pipeline, session)
    if spec.kind == "map" and not indices:
        session.missing("randomness", "the dataset has no item that could be read")
        return
    try:
        alone = apart(session, lambda: _alone(pipeline, session, indices))
    except ApartDiedError as died:
        session.missing("randomness", f"reading alone ended the process ({died})")
        return
    if alone["failed"]:
        session.missing("randomness", f"an item could not be read: {alone['failed']}")
        return
    plan = _Plan(pipeline, session, indices, alone["seconds"])
    try:
        if plan.stream:
            found = StreamExperiment(pipeline, session, plan.workers, plan.method, SEEDS).run(EPOCHS)
            session.evidence("randomness", plan.of_stream(found))
            return
        records = apart(session, lambda: plan.run(SEEDS[0]))
        init_fn = vars(loader).get("worker_init_fn")
        other = apart(session, lambda: plan.run(SEEDS[1], 1)) if init_fn is not None else None
    except ApartDiedError as died:
        session.missing("randomness", f"the experiment ended with {died}")
        return
    session.evidence("randomness", plan.evidence(records, other, alone))


def _indices(pipeline: Pipeline, session: Session) -> list[int]:
    length = pipeline.spec.dataset_length
    if pipeline.spec.kind != "map" or not length:
        return []
    deadly = set(session.read_note("deadly") or [])
    failed = set((session.read_note("loader") or {}).get("failed") or [])
    asked = [i for i in session.limits.ids if 0 <= i < length]
    spread = asked or dict.fromkeys([0, length // 2, length - 1, *range(min(length, 16))])
    return [i for i in spread if str(i) not in deadly and i not in failed][:INDICES]


def _alone(pipeline: Pipeline, session: Session, indices: list[int]) -> dict[str, Any]:
    """Read in one process, as it is: how long that takes, and what varies."""
    dataset: Any = pipeline.dataset
    found: list[EvalValue] = []
    took, reads = 0.0, 0
    try:
        for index in indices:
            values: dict[str, list[tuple[str, str]]] = {}
            for _ in range(EVAL_READS):
                session.note("getitem", index)
                start = time.perf_counter()
                sample = dataset[index]
                took, reads = took + time.perf_counter() - start, reads + 1
                marks = digests(sample)
                for path, leaf in leaves(sample):
                    if path in marks:
                        values.setdefault(path, []).append((marks[path], short(leaf)))
            found += [
                EvalValue(
                    index, path, len(all_), len({mark for mark, _ in all_}), tuple(text for _, text in all_)
                )
                for path, all_ in values.items()
            ]
    except Exception as error:  # noqa: BLE001 - the user's code
        return {"failed": one_line(error), "seconds": 0.0, "values": []}
    return {"failed": None, "seconds": took / reads if reads else 0.0, "values": found}


class _Plan:
    """One experiment: how many workers, which items, how often."""

    def __init__(self, pipeline: Pipeline, session: Session, indices: list[int], seconds: float) -> None:
        spec = pipeline.spec
        self.pipeline, self.session = pipeline, session
        self.method = method_of(pipeline)
        self.stream = spec.kind != "map"
        # Starting an interpreter a worker costs seconds; two are enough to compare.
        self.workers = min(max(spec.num_workers, WORKERS if self.method == "fork" else 2), 8)
        self.indices = indices
        self.reads = READS
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        room = SECONDS * cores / (2 * EPOCHS * self.workers * max(seconds, 1e-6))
        if len(indices) * READS > room:
            self.indices = indices[: max(1, int(room / READS))]
            self.reads = max(4, min(READS, int(room)))

    def run(self, seed: int, epochs: int = EPOCHS) -> list[list[Record]]:
        """Return the records of each epoch, in order of the workers."""
        pipeline = self.pipeline
        pin(seed)
        collate = vars(pipeline.torch_loader)["collate_fn"]
        others = [one for one in roots(pipeline) if one[0] in ("collate_fn", "worker_init_fn")]
        stand_in = Repeated(
            pipeline.dataset,
            config_of(self.session, "randomness"),
            indices=self.indices,
            reads=self.reads,
            others=others,
            collate=None if is_default_collate(collate) else collate,
        )
        return read_epochs(
            pipeline, self.session, stand_in, workers=self.workers, method=self.method, epochs=epochs
        )

    def evidence(
        self, records: list[list[Record]], other: list[list[Record]] | None, alone: dict[str, Any]
    ) -> RandomnessEvidence:
        """Return what the records say."""
        every = [record for epoch in records for record in epoch]
        failed = next((one["failed"] for one in every if one.get("failed")), None)
        return replace(
            self._settings(len(records)),
            draws=() if failed else tuple(draws(records, other)),
            failed=failed,
            eval_values=tuple(EvalValue(**{**one, "shown": tuple(one["shown"])}) for one in alone["values"]),
        )

    def of_stream(self, found: StreamDraws) -> RandomnessEvidence:
        """Return what the beginnings of a stream say."""
        return replace(
            self._settings(EPOCHS), draws=found.draws, failed=found.failed, eval_values=found.eval_values
        )

    def _settings(self, epochs: int) -> RandomnessEvidence:
        pipeline = self.pipeline
        init_fn = vars(pipeline.torch_loader).get("worker_init_fn")
        return RandomnessEvidence(
            workers=self.workers,
            forced=pipeline.spec.num_workers < 2,
            epochs=epochs,
            reads=1 if self.stream else self.reads,
            indices=tuple(self.indices),
            persistent=pipeline.spec.persistent_workers,
            start_method=self.method,
            init_fn=None if init_fn is None else name_of(init_fn),
            init_ref=None if init_fn is None else source_of(init_fn),
            shared_dataset=_borrowed(pipeline.dataset),
        )


def _borrowed(dataset: Any) -> str | None:
    from torch.utils.data import Subset

    return name_of(dataset.dataset) if isinstance(dataset, Subset) else None
