"""Eight loaders whose bottlenecks differ, for the benchmark of `dldoctor sweep`."""

from __future__ import annotations

import io
import time
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

COUNT = 16_384


def spin(seconds: float) -> None:
    """Use a core for so long."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Costed(Dataset[Any]):
    """Samples that compute and wait as their pipeline's name says; even indices differ by a fixed draw."""

    def __init__(
        self, cpu_ms: float = 0.0, wait_ms: float = 0.0, tail: float = 0.0, times: float = 1.0
    ) -> None:
        draw = np.random.default_rng(0)
        spread = draw.gamma(11.0, 1 / 11.0, COUNT)
        spread[draw.random(COUNT) < tail] *= times
        self.cpu, self.wait = cpu_ms / 1e3 * spread, wait_ms / 1e3 * spread

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        if self.wait[index]:
            time.sleep(self.wait[index])
        if self.cpu[index]:
            spin(self.cpu[index])
        return torch.full((64,), float(index)), index % 10


class Photos(Dataset[Any]):
    """JPEG decode and resize."""

    def __init__(self) -> None:
        draw = np.random.default_rng(0)
        self.files = []
        for side in draw.integers(160, 640, 64):
            smooth = Image.fromarray(draw.integers(0, 255, (16, 16, 3), dtype=np.uint8)).resize((side, side))
            buffer = io.BytesIO()
            smooth.save(buffer, "JPEG", quality=90)
            self.files.append(buffer.getvalue())

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        image = Image.open(io.BytesIO(self.files[index * 37 % 64])).convert("RGB").resize((160, 160))
        return torch.from_numpy(np.array(image)), index % 10


class Large(Dataset[Any]):
    """768 kB a sample: 12 MB batches."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        return torch.full((3, 256, 256), float(index))


class Small(Dataset[Any]):
    """48 small tensors a sample."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        return {f"field {n}": torch.full((4,), float(index)) for n in range(48)}


PIPELINES: dict[str, tuple[Any, float, bool]] = {
    "cpu": (lambda: Costed(cpu_ms=1.9), 20.0, False),
    "jpeg": (Photos, 25.0, False),
    "mixed": (lambda: Costed(cpu_ms=1.5, wait_ms=3.2), 30.0, False),
    "storage": (lambda: Costed(cpu_ms=0.05, wait_ms=5.0), 30.0, False),
    "heavy tail, CPU": (lambda: Costed(cpu_ms=1.0, tail=0.02, times=50.0), 25.0, True),
    "heavy tail, waiting": (lambda: Costed(wait_ms=1.0, tail=0.02, times=100.0), 30.0, True),
    "large batches": (Large, 20.0, False),
    "small tensors": (Small, 20.0, False),
}
"""Name to dataset, a step in milliseconds for the runs with a consumer, and whether its tail is heavy."""

SHORT = ("cpu", "mixed", "storage")
"""Those of the run in CI."""


def loader(name: str, workers: int, prefetch: int | None) -> DataLoader[Any]:
    """Return a pipeline in batches of 16."""
    return DataLoader(
        PIPELINES[name][0](), 16, num_workers=workers, prefetch_factor=prefetch if workers else None
    )
