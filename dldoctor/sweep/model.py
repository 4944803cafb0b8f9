"""The words of the model: a setting, the work of batches, the consumer, the cores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Setting:
    """One point of the surface. Ordered as the choice prefers: fewer workers, then less prefetch."""

    workers: int
    prefetch: int
    """Batches in flight per worker; 0 without workers, where nothing is read ahead."""

    @property
    def credits(self) -> int:
        """Batches that are on their way or wait to be taken, at all times."""
        return self.workers * self.prefetch

    def __str__(self) -> str:
        """Return the loader arguments as one would paste them."""
        return (
            f"num_workers={self.workers}, prefetch_factor={self.prefetch}"
            if self.workers
            else "num_workers=0"
        )


@dataclass(frozen=True)
class Work:
    """What making each batch costs whoever makes it, in order of the batches."""

    cpu_s: tuple[float, ...]
    wait_s: tuple[float, ...]
    """Blocked time: storage, network, a lock, a sleep. It needs no core."""


@dataclass(frozen=True)
class Steps:
    """The consumer: how long each step takes, and how much of it keeps a core busy."""

    step_s: tuple[float, ...] = ()
    """Durations, used in turn; empty means that a batch is taken as soon as it comes."""
    host_s: float = 0.0
    """CPU time of the main process in each step; the rest is waiting for the device."""

    @property
    def mean_s(self) -> float:
        """Mean step; 0 without a consumer."""
        return sum(self.step_s) / len(self.step_s) if self.step_s else 0.0


@dataclass(frozen=True)
class Host:
    """What the machine gives and what the hand-over costs."""

    cores: float
    """Cores that this loader may use, the quota, other ranks and foreign work taken off."""
    receive_s: float = 0.0
    """CPU time of the main process for each batch that it receives."""
    inflation: float = 1.0
    """How much more CPU time a batch takes when all cores are busy (caches, hyper-threads, clock)."""
    in_order: bool = True

    def speed(self, busy: int) -> float:
        """Return the speed of each of `busy` running tasks, 1 being a core of its own."""
        if busy <= 0:
            return 1.0
        share = min(1.0, self.cores / busy)
        if self.inflation == 1.0 or self.cores <= 1:
            return share / (self.inflation if busy > 1 else 1.0)
        part = min(1.0, (min(busy, self.cores) - 1) / (self.cores - 1))
        return share / (1 + (self.inflation - 1) * max(0.0, part))


@dataclass(frozen=True)
class Timeline:
    """When batches were handed over in a simulated run, and how long the consumer waited for each."""

    delivered_s: tuple[float, ...]
    stalled_s: tuple[float, ...]

    def rate(self, warm_up: int) -> float:
        """Return batches per second after the first `warm_up` deliveries."""
        times = self.delivered_s
        first = min(warm_up, len(times) - 2)
        span = times[-1] - times[first]
        return (len(times) - 1 - first) / span if span > 0 else float("inf")

    def wait_share(self, warm_up: int) -> float:
        """Return the share of the time that the consumer waited after the first `warm_up` deliveries."""
        times = self.delivered_s
        first = min(warm_up, len(times) - 2)
        span = times[-1] - times[first]
        return min(1.0, sum(self.stalled_s[first + 1 :]) / span) if span > 0 else 0.0
