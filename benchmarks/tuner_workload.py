"""One pipeline as the tuners beside us want it: a workload for loadtune, a training script for train-doctor.

``PIPELINE`` and ``STEP_MS`` in the environment say which; see `tuners.py`.
"""

from __future__ import annotations

import os
import time
from typing import Any

import torch
from sweep_pipelines import PIPELINES, loader
from torch import nn

NAME = os.environ.get("PIPELINE", "cpu")
STEP_S = float(os.environ.get("STEP_MS", "20")) / 1e3


def model() -> nn.Module:
    return nn.Linear(4, 1)


def optimizer(net: nn.Module) -> Any:
    return torch.optim.SGD(net.parameters(), 1e-3)


def step(net: nn.Module, optimiser: Any, batch: Any, _device: Any = "cpu") -> torch.Tensor:
    """Wait as a device would take, and train something small."""
    first = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    time.sleep(STEP_S)
    loss: torch.Tensor = net(first.reshape(-1)[:4].float().reshape(1, 4)).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.detach()


def get_workload() -> Any:
    """Return what loadtune asks for."""
    from loadtune import Workload

    return Workload(
        name=NAME, make_dataset=PIPELINES[NAME][0], make_model=model, train_step=step, make_optimizer=optimizer,
        default_batch_size=16,
    )  # fmt: skip


def main() -> None:
    """Train for one epoch, without workers, as a first script does."""
    net = model()
    optimiser = optimizer(net)
    for batch in loader(NAME, 0, None):
        step(net, optimiser, batch)


if __name__ == "__main__":
    main()
