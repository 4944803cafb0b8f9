"""The whole job on a machine with a GPU, in under five minutes; prints one table.

``python benchmarks/gpu_check.py``: sweeps three loaders with a real step on ``cuda:0`` (a small
convolution, pinned and non-blocking copies), and shows for each measured point the rate, the share of the
step spent waiting, and NVML's utilisation, which counts any running kernel as busy.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import torch
from sweep_pipelines import loader
from torch import nn

from dldoctor.diagnose import diagnose_object
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.request import Request

PIPELINES = ("jpeg", "mixed", "storage")
_model: dict[str, Any] = {}


def step(batch: Any) -> None:
    """One training step; the model is made on first use, in the process that trains."""
    rows = batch[0].float()
    if not _model:
        net = nn.Sequential(
            nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.Conv2d(64, 128, 5, 2), nn.AdaptiveAvgPool2d(1)
        )
        _model["net"] = net.to(rows.device)
        _model["optimiser"] = torch.optim.SGD(net.parameters(), 1e-4)
    images = rows.permute(0, 3, 1, 2) if rows.dim() == 4 else rows.view(-1, 1, 8, 8).expand(-1, 3, 8, 8)
    images = nn.functional.interpolate(images, 224)
    loss = _model["net"](images).square().mean()
    _model["optimiser"].zero_grad()
    loss.backward()
    _model["optimiser"].step()


def main() -> None:
    """Print the table; status 1 where a GPU showed no utilisation, 2 without a GPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of each sweep")
    parser.add_argument("--device", default="cuda:0", help="cpu tries the script without a GPU")
    arguments = parser.parse_args()
    # Not `torch.cuda.is_available()`: that may initialise CUDA here, and the runs are forks of this process.
    if arguments.device != "cpu" and not torch.backends.cuda.is_built():
        print("this torch was built without CUDA")
        sys.exit(2)
    print("pipeline | workers x prefetch | batches/s | waits | utilisation | verdict")
    print("---|---|---|---|---|---")
    seen = False
    for name in PIPELINES:
        request = Request(
            "sweep",
            TargetOptions(name),
            intent=Intent(step=f"{__file__}:step", device=arguments.device),
            limits=Limits(time_budget_s=arguments.budget),
        )
        found = diagnose_object(loader(name, 2, 2), request, probes=("sweep",)).evidence.sweep
        if found is None:
            print(f"{name} | the sweep gave nothing")
            continue
        for point in found.points:
            if point.measured is None:
                continue
            used = point.gpu_utilization
            seen = seen or used is not None
            print(
                f"{name} | {point.num_workers} x {point.prefetch_factor or '-'} | {point.measured:.1f} "
                f"| {point.wait_share or 0:.1%} | {'-' if used is None else f'{used:.0%}'} | {found.verdict} {found.recommended}"
            )
    sys.exit(0 if seen or arguments.device == "cpu" else 1)


if __name__ == "__main__":
    main()
