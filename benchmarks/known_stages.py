"""A pipeline of known stages with timers of its own, for the benchmarks of `dldoctor profile` and its rivals."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

STAGES = {"wait": "wait", "decode": "decode", "numpy": "scale", "tokenise": "tokenise"}
"""Stage to the method that does it."""
BATCH = 8


class Known(Dataset[dict[str, Any]]):
    """Four stages, each with its own timer; the times are appended to a file a process."""

    def __init__(self, count: int, folder: str | None) -> None:
        generator = np.random.default_rng(0)
        image = Image.fromarray(generator.integers(0, 255, (16, 16, 3), dtype=np.uint8)).resize((700, 700))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=90)
        self.data = buffer.getvalue()
        self.words = [f"w{k * 31 % 5000}" for k in range(300)]
        self.count = count
        self.folder = folder
        self.log: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        t0, c0 = time.perf_counter_ns(), time.thread_time_ns()
        self.wait()
        t1, c1 = time.perf_counter_ns(), time.thread_time_ns()
        image = self.decode()
        t2, c2 = time.perf_counter_ns(), time.thread_time_ns()
        pixels = self.scale(image)
        t3, c3 = time.perf_counter_ns(), time.thread_time_ns()
        ids = self.tokenise()
        t4, c4 = time.perf_counter_ns(), time.thread_time_ns()
        if self.folder is not None:
            self.note((t1 - t0, t2 - t1, t3 - t2, t4 - t3, c1 - c0, c2 - c1, c3 - c2, c4 - c3))
        return {"pixels": torch.from_numpy(pixels), "ids": torch.tensor(ids[:100]), "index": index}

    def note(self, times: tuple[int, ...]) -> None:
        if os.getpid() not in self.log:
            self.log[os.getpid()] = Path(self.folder or "", str(os.getpid())).open("w", buffering=1)  # noqa: SIM115 - written to for the life of the process
        self.log[os.getpid()].write(" ".join(map(str, times)) + "\n")

    def wait(self) -> None:
        time.sleep(0.003)

    def decode(self) -> Any:
        return Image.open(io.BytesIO(self.data)).convert("RGB")

    def scale(self, image: Any) -> Any:
        pixels = np.asarray(image, dtype=np.float32)
        return (pixels[::3, ::3] - pixels.mean()) / pixels.std()

    def tokenise(self) -> list[int]:
        return [sum(ord(c) * (p + 1) for p, c in enumerate(word)) % 5000 for word in self.words]


def loader(workers: int, batches: int, folder: str | None = None) -> DataLoader[Any]:
    """Return the pipeline of known stages."""
    return DataLoader(Known(batches * BATCH, folder), BATCH, num_workers=workers)
