"""The user's own training step, and the device that it runs on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from dldoctor.probes.sweep.consumer import Consumer, ConsumerSpec


def load_step(spec: ConsumerSpec) -> tuple[Consumer, Callable[[], float | None] | None]:
    """Return the consumer of a run, and what reads the GPU's utilisation where there is a GPU.

    Called in the fork of each run: CUDA does not survive a fork, so nothing above may touch it.
    """
    if spec.kind != "step":
        return Consumer(spec), None
    from dldoctor.targets.named_object import find_object

    step = find_object(spec.step, option="--step")
    device = cuda_device(spec.device)
    if device is None:
        return Consumer(spec, step), None
    from dldoctor.probes.sweep.gpu import on_device, utilisation_reader

    return Consumer(spec, on_device(step, device)), utilisation_reader(device)


def cuda_device(wanted: str) -> str | None:
    """Return the CUDA device to use, or None for the processor."""
    if wanted in ("cpu", "sim"):
        return None
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return "cuda:0" if wanted == "auto" else wanted


def replay(spec: ConsumerSpec, batches: list[Any], seconds: float) -> dict[str, Any]:
    """Run the consumer over batches that are there already: the rate if data were free."""
    consumer, _ = load_step(spec)
    warm = 3 if spec.kind == "step" else 1
    started = time.perf_counter()
    begun = 0.0
    for number in range(10_000):
        if number == warm:
            consumer.taken_s.clear()
            consumer.cpu_s = 0.0
            begun = time.perf_counter()
        consumer.take(batches[number % len(batches)])
        spent = time.perf_counter() - started
        if spent > (seconds / 2 if number >= warm + 30 else seconds) and number >= warm + 3:
            break
    elapsed = time.perf_counter() - begun
    steps = consumer.steps()
    return {
        "steps": list(steps.step_s[-200:]),
        "host_s": steps.host_s,
        "rate": len(consumer.taken_s) / elapsed if elapsed > 0 else None,
        "device": cuda_device(spec.device) or "cpu" if spec.kind == "step" else "simulated",
    }
