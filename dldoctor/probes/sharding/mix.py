"""What stands in the batches of a rank: the labels and sources of their samples, and how much there is to do.

Noted batch by batch in one process of a rank, for the first epoch and not for ever.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from dldoctor.probes.arrays import unboxed
from dldoctor.probes.look import as_tensor
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

NAMES = frozenset(
    [
        "label",
        "labels",
        "class",
        "cls",
        "class_id",
        "class_label",
        "target",
        "targets",
        "y",
        "category",
        "category_id",
        "source",
        "dataset",
        "dataset_name",
        "domain",
        "lang",
        "language",
        "subset",
        "origin",
        "corpus",
        "speaker",
        "speaker_id",
    ]
)
"""Last step of the path of a field that says what kind of sample it is."""
SHORT = 40
BATCHES = 512
"""Batches of one process that are noted."""
STRETCHES, STRETCH = 4, 8
"""Of a map-style loader so many stretches of so many batches are read."""
SECONDS = 4.0

Row = dict[str, Any]


def kinds_of(sample: Any, declared: tuple[str, ...]) -> dict[str, str]:
    """Return path and value of each field that says what kind of sample this is."""
    found = {}
    for path, leaf in leaves(sample):
        last = path.rsplit(".", 1)[-1].lower()
        if path not in declared and last not in NAMES and not last.isdigit():
            continue
        value = unboxed(leaf)
        whole = isinstance(value, (int, bool)) or (isinstance(value, str) and not last.isdigit())
        if whole and len(str(value)) <= SHORT:
            found[path] = str(value)
    return found


def work_of(batch: Any) -> dict[str, int]:
    """Return how many elements each field of a batch has."""
    return {path: number for path, leaf in leaves(batch) if (number := _elements(leaf))}


def _elements(leaf: Any) -> int:
    try:
        tensor = as_tensor(leaf)
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return 0
    if tensor is not None:
        return int(tensor.numel())
    return sum(_elements(one) for one in leaf) if isinstance(leaf, (list, tuple)) else 0


class MixLog:
    """A file of one process, a batch a line."""

    def __init__(self, path: str) -> None:
        """Start with an empty file."""
        self.path = path
        self.left = BATCHES
        Path(path).write_bytes(b"")

    def add(self, step: int | None, kinds: list[dict[str, str]], work: dict[str, int]) -> None:
        """Note a batch; of a stream the order of the batches is their step."""
        self.left -= 1
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "kinds": kinds, "work": work}) + "\n")


def noted(folder: str, workers: int) -> list[Row]:
    """Return what was noted, in the order in which the loader delivers it."""
    rows = []
    for path in sorted(Path(folder).glob("mix-*")):
        worker = int(path.name.rsplit("-", 1)[-1])
        with open(path, encoding="utf-8") as file:
            for place, line in enumerate(file):
                row = json.loads(line)
                step = row["step"]
                rows.append(
                    row
                    | {
                        "worker": worker,
                        "step": place * max(1, workers) + worker if step is None else step,
                    }
                )
    return sorted(rows, key=lambda row: row["step"])


def wanted_steps(batches: int | None) -> Callable[[int], bool]:
    """Return which batches of an epoch are read: stretches all over it, or its beginning if it has no length."""
    if batches is None or batches <= STRETCHES * STRETCH:
        return lambda number: number < STRETCHES * STRETCH
    starts = [round(k * (batches - STRETCH) / (STRETCHES - 1)) for k in range(STRETCHES)]
    return lambda number: any(start <= number < start + STRETCH for start in starts)


def read_batches(
    pipeline: Pipeline,
    folder: str,
    kept: list[tuple[int, list[Any]]],
    declared: tuple[str, ...],
    pulse: Callable[[], None],
) -> None:
    """Read some batches of a map-style loader in this process, as long as there is time."""
    loader: Any = pipeline.torch_loader
    collate, dataset = vars(loader)["collate_fn"], vars(loader)["dataset"]
    single = vars(loader).get("batch_sampler") is None
    log = MixLog(os.path.join(folder, "mix-0"))
    deadline = time.monotonic() + SECONDS
    for step, indices in _spread(kept):
        samples = []
        for index in indices:
            samples.append(dataset[index])
            pulse()
            if time.monotonic() > deadline:
                return
        work = work_of(collate(samples[0] if single else list(samples)))
        log.add(step, [kinds_of(sample, declared) for sample in samples], work)


def _spread(kept: list[tuple[int, list[Any]]]) -> list[tuple[int, list[Any]]]:
    """Put whole stretches in an order in which those that there is time for lie apart."""
    parts = [list(islice(kept, start, start + STRETCH)) for start in range(0, len(kept), STRETCH)]
    return [one for part in (*parts[::2], *parts[1::2]) for one in part]
