"""The user's step on a GPU: copies, the step timed to its end, and what NVML calls utilisation."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from dldoctor.foreign import has
from dldoctor.sweep.utilisation import Utilisation, device_place


def on_device(step: Callable[[Any], Any], device: str) -> Callable[[Any], None]:
    """Return the step with its batch copied to the device, waiting for the step before.

    The host may run one step ahead, as in training: each call waits for the end of the call before,
    by an event, so the times of calls are those of the device once both are busy.
    """
    import torch

    stream = torch.cuda.current_stream(device)
    before: list[Any] = []

    def call(batch: Any) -> None:
        moved = moved_to(batch, device)
        step(moved)
        done = torch.cuda.Event()  # type: ignore[no-untyped-call]
        done.record(stream)
        before.append((done, moved))
        if len(before) > 1:
            before.pop(0)[0].synchronize()

    return call


def moved_to(value: Any, device: str) -> Any:
    """Return a batch on the device; pinned tensors cross while the host goes on."""
    if has(value, "to") and callable(value.to):
        return value.to(device, non_blocking=True)
    if isinstance(value, dict):
        return {key: moved_to(item, device) for key, item in value.items()}
    if isinstance(value, tuple) and has(value, "_fields"):
        return type(value)(*(moved_to(item, device) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(moved_to(item, device) for item in value)
    return value


def utilisation_reader(device: str) -> Callable[[], float | None] | None:
    """Return what reads the utilisation of a device, where the user's environment has NVML's binding."""
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        return None
    return Utilisation(nvml, device_place(device)).read
