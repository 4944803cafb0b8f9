"""What takes the batches of a run: nothing, a simulated device, or the user's own step."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dldoctor.foreign import has
from dldoctor.sweep.model import Steps


@dataclass(frozen=True)
class ConsumerSpec:
    """What was declared; plain values, the same in every run."""

    kind: str = "none"
    """``none``, ``simulated``, ``trace`` or ``step``."""
    step_s: tuple[float, ...] = ()
    """Simulated: one value, or those of a trace, taken in turn."""
    host_s: float = 0.0
    """Simulated: the part of it in which the main process computes."""
    jitter: float = 0.0
    """Simulated: standard deviation of a step over its mean."""
    step: str = ""
    """``FILE:NAME`` of the user's step."""
    device: str = "auto"


def spec_of(options: dict[str, Any], intent: Any) -> ConsumerSpec:
    """Return the consumer that the options and the declared intent ask for."""
    device = getattr(intent, "device", None) or options.get("device") or "auto"
    if steps := options.get("step_times_s"):
        return ConsumerSpec("trace", tuple(steps), options.get("host_ms", 0.0) / 1e3, device=device)
    if step := getattr(intent, "step", None) or options.get("step"):
        return ConsumerSpec("step", step=step, device=device)
    step_ms = getattr(intent, "step_ms", None) or options.get("step_ms")
    if step_ms:
        host = min(options.get("host_ms") or 0.0, step_ms)
        jitter = options.get("step_jitter") or 0.0
        return ConsumerSpec("simulated", (step_ms / 1e3,), host / 1e3, jitter, device=device)
    return ConsumerSpec(device=device)


@dataclass
class Consumer:
    """Takes batches and notes how long that took; made anew in each run."""

    spec: ConsumerSpec
    call: Callable[[Any], Any] | None = None
    """The user's step, if there is one."""
    taken_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    held: Any = None

    def __post_init__(self) -> None:
        # The same draws in every run: differences between settings are then paired.
        self._rng = Random(0)  # noqa: S311 - a simulated step

    def take(self, batch: Any) -> None:
        """Consume one batch, and hold it until the next one is there, as training does."""
        if self.spec.kind == "none":
            return
        started, cpu = time.perf_counter(), time.process_time()
        if self.call is not None:
            self.call(batch)
        else:
            self._simulate(batch, started)
        self.held = batch
        self.taken_s.append(time.perf_counter() - started)
        self.cpu_s += time.process_time() - cpu

    def _simulate(self, batch: Any, started: float) -> None:
        """Touch the batch, compute for the host's part, and wait until the step is over.

        The end is a fixed time, not a length of sleep: waking late in one part does not add up.
        """
        steps = self.spec.step_s
        length = steps[len(self.taken_s) % len(steps)]
        if self.spec.jitter > 0:
            shape = 1 / self.spec.jitter**2
            length *= self._rng.gammavariate(shape, 1 / shape)
        touch(batch)
        while time.perf_counter() - started < min(self.spec.host_s, length):
            pass
        left = started + length - time.perf_counter()
        if left > 0:
            time.sleep(left)

    def steps(self) -> Steps:
        """Return the steps as they were carried out: late wake-ups are data, not bias."""
        if not self.taken_s:
            return Steps()
        host = min(self.cpu_s / len(self.taken_s), sum(self.taken_s) / len(self.taken_s))
        kept = self.taken_s[-200:]
        return Steps(tuple(kept), host)


def _is_plain_tensor(value: Any) -> bool:
    return (
        has(type(value), "is_contiguous") and has(type(value), "element_size") and value.device.type == "cpu"
    )


def touch(batch: Any, depth: int = 4) -> None:
    """Read one value a page of every tensor: pages of shared memory cost when they are first read."""
    if depth == 0:
        return
    if isinstance(batch, dict):
        for item in batch.values():
            touch(item, depth - 1)
    elif isinstance(batch, (list, tuple)):
        for item in batch[:64]:
            touch(item, depth - 1)
    elif _is_plain_tensor(batch) and batch.is_contiguous() and batch.numel():
        batch.view(-1)[:: max(1, 4096 // batch.element_size())].sum()
