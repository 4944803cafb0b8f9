"""What a stream delivers in each epoch: the loader runs with its workers, and they note what they read."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dldoctor.probes.sharding.announce import Announcer
from dldoctor.probes.sharding.stream_log import END, LogConfig, LoggedCollate, beat, logged
from dldoctor.targets import Pipeline
from dldoctor.targets.webdataset import batches_itself


def read_epochs(
    pipeline: Pipeline,
    announcer: Announcer,
    config: LogConfig,
    epochs: int,
    go_on: Callable[[int, int], bool],
) -> list[dict[str, Any]]:
    """Run some epochs; `go_on` tells, by epoch and batches, whether to take another batch."""
    attributes = vars(pipeline.torch_loader)
    config.batched = attributes.get("batch_size") is None and batches_itself(pipeline.dataset)
    attributes["dataset"] = logged(attributes["dataset"], config)
    attributes["collate_fn"] = LoggedCollate(attributes["collate_fn"], config)
    found = []
    for epoch in range(epochs):
        config.epoch = epoch
        announcer.epoch(epoch)
        started = time.perf_counter_ns()
        batches, complete = 0, True
        iterator = iter(pipeline.loader)
        while True:
            if not go_on(epoch, batches):
                complete = False
                break
            try:
                next(iterator)
            except StopIteration:
                break
            batches += 1
            beat(config.folder)
        del iterator
        found.append(
            {
                "epoch": epoch,
                "batches": batches,
                "complete": complete,
                "elapsed_ns": time.perf_counter_ns() - started,
            }
        )
        if not complete:
            break
    return found


class WorkerLog:
    """What one worker noted in one epoch."""

    def __init__(self, path: Path) -> None:
        """Read the files."""
        numbers: array[int] = array("q")
        raw = path.read_bytes()
        numbers.frombytes(raw[: len(raw) // 8 * 8])
        self.sizes: list[int] = []
        """Samples of each batch."""
        self.ended = False
        self.keys: array[int] = array("q")
        """Own, quiet and full key of each delivered sample, one after the other."""
        self.left: array[int] = array("q")
        """The same of samples that were read and are in no batch."""
        at = 0
        while at < len(numbers):
            if numbers[at] == END:
                self.ended = True
                size = numbers[at + 1]
                self.left = numbers[at + 2 : at + 2 + 3 * size]
                at += 2 + 3 * size
                continue
            size = numbers[at]
            if self.ended:
                self.left = array("q")  # they made a last batch after all
            self.sizes.append(size)
            self.keys += numbers[at + 1 : at + 1 + 3 * size]
            at += 1 + 3 * size
        with open(f"{path}.names", encoding="utf-8") as file:
            self.first: list[str] = [json.loads(line) for line in file]


def worker_logs(folder: Path, epoch: int) -> dict[int, WorkerLog]:
    """Return the logs of one epoch by worker."""
    found = {}
    for path in sorted(folder.glob(f"log-{epoch}-*")):
        worker = path.name.rsplit("-", 1)[-1]
        if worker.isdigit():
            found[int(worker)] = WorkerLog(path)
    return found


def folder_of(base: str, name: str) -> str:
    """Return a fresh folder for one rank, with the file whose time is its pulse."""
    folder = os.path.join(base, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "pulse"), "wb"):
        pass
    return folder
