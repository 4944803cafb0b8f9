"""What dry-run's observation costs: our CPU time over the loader's, and paired rates.

Run ``python benchmarks/overhead.py`` on a quiet machine. Each pair runs the bare loader and the same
loader under dry-run's probe, in fresh forks, in the order A B B A, and prints the ratio of their
rates with a 90% interval over the pairs.
"""

from __future__ import annotations

import argparse
import io
import statistics
from typing import Any

import numpy as np
import torch
from paired import bare_rate, compare
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from dldoctor.diagnose import diagnose_object
from dldoctor.intent import Limits, TargetOptions
from dldoctor.report import Report
from dldoctor.request import Request


class Photos(Dataset[dict[str, Any]]):
    """JPEG decode, resize and scaling: about 2 ms a sample."""

    def __init__(self, count: int) -> None:
        generator = np.random.default_rng(0)
        smooth = generator.integers(0, 255, (16, 16, 3), dtype=np.uint8)
        image = Image.fromarray(smooth).resize((300, 300))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=90)
        self.data = buffer.getvalue()
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        image = Image.open(io.BytesIO(self.data)).convert("RGB").resize((160, 160))
        pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255
        return {"pixels": pixels + index * 1e-6, "label": index % 10, "name": f"photo {index}"}


class Tokens(Dataset[dict[str, Any]]):
    """Pure-Python tokenising: about 0.6 ms a sample, rows of different lengths."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        words = [f"w{(index * 31 + k) % 5000}" for k in range(200 + index % 200)]
        ids = [sum(ord(c) * (p + 1) for p, c in enumerate(word)) % 5000 + 3 for word in words]
        return {"input_ids": torch.tensor(ids)}


def pad(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Pad token rows with 0 on the right."""
    ids = [row["input_ids"] for row in rows]
    padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)
    lengths = torch.tensor([len(row) for row in ids])
    return {"input_ids": padded, "attention_mask": (torch.arange(padded.shape[1]) < lengths[:, None]).long()}


def loader(kind: str, workers: int, batches: int) -> DataLoader[Any]:
    """Return one of the pipelines, in batches of 16."""
    size = 16
    data: Any = Photos(batches * size) if kind == "photos" else Tokens(batches * size)
    return DataLoader(data, size, num_workers=workers, collate_fn=pad if kind == "tokens" else None)


def watched(kind: str, workers: int, batches: int) -> Report:
    """Run the loader under dry-run's loader probe alone."""
    request = Request("dry-run", TargetOptions(kind), limits=Limits(batches=batches))
    return diagnose_object(loader(kind, workers, batches), request, probes=("loader",))


def row(kind: str, workers: int, batches: int, pairs: int) -> str:
    """Return one row of the table."""
    found = compare(
        lambda: bare_rate(lambda: loader(kind, workers, batches), workers),
        lambda: watched(kind, workers, batches),
        pairs,
    )
    return (
        f"{kind:8} {workers:7} {statistics.median(found.bare_ms):10.1f} {statistics.mean(found.shares):12.1%}"
        f"      {found.interval()}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=150)
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    print("pipeline workers  ms/batch  our CPU share  rate ours/bare (90% interval)")
    for kind in ("photos", "tokens"):
        for workers in (0, 2):
            print(row(kind, workers, arguments.batches, arguments.pairs))


if __name__ == "__main__":
    main()
