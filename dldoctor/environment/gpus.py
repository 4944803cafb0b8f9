"""GPUs by NVML; none, without a driver or a GPU."""

from __future__ import annotations

from typing import Any

from dldoctor.evidence.environment import GpuState


def states() -> tuple[GpuState, ...]:
    """Return name, memory, utilisation and link of each GPU."""
    try:
        import pynvml
    except ImportError:
        return ()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        return tuple(_state(pynvml, number) for number in range(pynvml.nvmlDeviceGetCount()))
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()


def _state(nvml: Any, number: int) -> GpuState:
    handle = nvml.nvmlDeviceGetHandleByIndex(number)
    name = nvml.nvmlDeviceGetName(handle)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)

    def ask(function: str, *arguments: Any) -> Any:
        """Ask what not every GPU answers."""
        try:
            return getattr(nvml, function)(handle, *arguments)
        except (nvml.NVMLError, AttributeError):
            return None

    rates = ask("nvmlDeviceGetUtilizationRates")
    now = ask("nvmlDeviceGetCurrPcieLinkGeneration"), ask("nvmlDeviceGetCurrPcieLinkWidth")
    most = ask("nvmlDeviceGetMaxPcieLinkGeneration"), ask("nvmlDeviceGetMaxPcieLinkWidth")
    link = f"gen {now[0]} x{now[1]} (of gen {most[0]} x{most[1]})" if None not in (*now, *most) else ""
    return GpuState(
        name=name.decode() if isinstance(name, bytes) else str(name),
        memory_bytes=int(memory.total),
        memory_used_bytes=int(memory.used),
        utilization=None if rates is None else rates.gpu / 100,
        pcie=link,
    )
