"""What NVML says of a GPU: the share of time in which any kernel ran. The binding is handed in."""

from __future__ import annotations

import os
from typing import Any

MISSES = 3
"""Readings that may fail before the device is given up: one can be lost while the run goes on."""


class Utilisation:
    """Reads one GPU; after a device is lost, or where reading is not allowed, it says nothing."""

    def __init__(self, nvml: Any, place: int | str) -> None:
        """Open the GPU at a place: NVML's index, or the UUID that `CUDA_VISIBLE_DEVICES` names."""
        self._nvml, self.reason = nvml, ""
        self._handle: Any = None
        self._missed = 0
        try:
            nvml.nvmlInit()
            self._handle = (
                nvml.nvmlDeviceGetHandleByUUID(place)
                if isinstance(place, str)
                else nvml.nvmlDeviceGetHandleByIndex(place)
            )
        except nvml.NVMLError as error:
            self.reason = str(error)

    def read(self) -> float | None:
        """Return the utilisation, 0 to 1; None where it cannot be read, with the reason kept."""
        if self._handle is None:
            return None
        try:
            found = self._nvml.nvmlDeviceGetUtilizationRates(self._handle)
        except self._nvml.NVMLError as error:
            self.reason = str(error)
            self._missed += 1
            if self._missed >= MISSES:
                self._handle = None
            return None
        self._missed = 0
        return float(found.gpu) / 100


def device_place(device: str, visible: str | None = None) -> int | str:
    """Return where NVML finds CUDA's device: `CUDA_VISIBLE_DEVICES` renumbers it for CUDA alone."""
    number = int(device.partition(":")[2] or 0)
    listed = os.environ.get("CUDA_VISIBLE_DEVICES", "") if visible is None else visible
    names = [name.strip() for name in listed.split(",") if name.strip()]
    if number >= len(names):
        return number
    return int(names[number]) if names[number].isdigit() else names[number]
