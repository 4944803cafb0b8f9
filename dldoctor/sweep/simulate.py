"""The loader as events, where its processes share cores: processor sharing, credits, in-order delivery.

All running tasks advance at one common speed, so a clock of work done (`_work`) orders their ends,
and one heap holds them; a second one holds those that sleep.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

from dldoctor.sweep.model import Host, Setting, Steps, Timeline, Work
from dldoctor.sweep.recurrence import recur, serial

_LITTLE = 0.02
"""A share of a batch's time below which its CPU part or its waiting is not cut into pieces."""


def simulate(work: Work, setting: Setting, steps: Steps, host: Host) -> Timeline:
    """Return the deliveries of a loader; where no core is ever fought over, by the recurrence."""
    if setting.workers == 0:
        return serial(work, steps, host)
    if host.in_order and host.inflation == 1.0 and setting.workers + 1 <= host.cores:
        return recur(work, setting, steps, host)
    return events(work, setting, steps, host)


def events(work: Work, setting: Setting, steps: Steps, host: Host) -> Timeline:
    """Return the deliveries by playing every event."""
    return _Loader(work, setting, steps, host).play()


class _Loader:
    """One run. Tasks are numbered: the workers from 0, then the main process."""

    def __init__(self, work: Work, setting: Setting, steps: Steps, host: Host) -> None:
        self.work, self.setting, self.steps, self.host = work, setting, steps, host
        self.total = len(work.cpu_s)
        self.main = setting.workers
        self.now = self.done = 0.0
        self.running: list[tuple[float, int]] = []
        self.asleep: list[tuple[float, int]] = []
        self.speeds = [host.speed(busy) for busy in range(setting.workers + 2)]
        self.queues: list[deque[int]] = [deque() for _ in range(setting.workers)]
        self.at: list[int | None] = [None] * setting.workers
        self.phases: list[list[tuple[bool, float]]] = [[] for _ in range(setting.workers)]
        self.arrived: deque[int] = deque()
        self.parked: set[int] = set()
        self.issued = self.turn = 0
        self.stage = "wait"
        self.receiving = 0
        self.asked = 0.0
        self.delivered: list[float] = []
        self.stalled: list[float] = []

    def play(self) -> Timeline:
        """Run until every batch was handed over."""
        for _ in range(min(self.setting.credits, self.total)):
            self._issue()
        self._ask()
        while len(self.delivered) < self.total:
            self._advance()
        return Timeline(tuple(self.delivered), tuple(self.stalled))

    def _advance(self) -> None:
        running, asleep = self.running, self.asleep
        speed = self.speeds[len(running)]
        ends = self.now + (running[0][0] - self.done) / speed if running else float("inf")
        if asleep and asleep[0][0] <= ends:
            at, task = heappop(asleep)
            self.done += (at - self.now) * speed
            self.now = at
        else:
            self.done, task = heappop(running)
            self.now = ends
        if task == self.main:
            self._main_goes_on()
        else:
            self._worker_goes_on(task)

    def _run(self, task: int, cpu_s: float) -> None:
        heappush(self.running, (self.done + cpu_s, task))

    def _sleep_until(self, task: int, at: float) -> None:
        heappush(self.asleep, (max(at, self.now), task))

    def _issue(self) -> None:
        """Give the next batch to the next worker in turn; without order, to one that has room."""
        batch, workers = self.issued, self.setting.workers
        self.issued += 1
        if self.host.in_order:
            worker = batch % workers
        else:
            loads = [len(self.queues[w]) + (self.at[w] is not None) for w in range(workers)]
            turns = [(self.turn + i) % workers for i in range(workers)]
            worker = next((w for w in turns if loads[w] < self.setting.prefetch), turns[0])
            self.turn = worker + 1
        self.queues[worker].append(batch)
        if self.at[worker] is None:
            self._begin(worker)

    def _begin(self, worker: int) -> None:
        batch = self.queues[worker].popleft()
        self.at[worker] = batch
        cpu, wait = self.work.cpu_s[batch], self.work.wait_s[batch]
        if wait < _LITTLE * cpu:
            parts = [(True, cpu + wait)]
        elif cpu < _LITTLE * wait:
            parts = [(True, cpu), (False, wait)]
        else:  # a batch reads, works, reads, works: not all of one before all of the other
            parts = [(True, cpu / 2), (False, wait / 2), (True, cpu / 2), (False, wait / 2)]
        self.phases[worker] = parts
        self._worker_goes_on(worker)

    def _worker_goes_on(self, worker: int) -> None:
        phases = self.phases[worker]
        if phases:
            on_core, seconds = phases.pop()
            if on_core:
                self._run(worker, seconds)
            else:
                self._sleep_until(worker, self.now + seconds)
            return
        batch = self.at[worker]
        assert batch is not None
        self.arrived.append(batch)
        self.at[worker] = None
        if self.queues[worker]:
            self._begin(worker)
        if self.stage == "wait":
            self._receive()

    def _ask(self) -> None:
        self.asked = self.now
        self._receive()

    def _receive(self) -> None:
        wanted = len(self.delivered)
        if self.host.in_order and wanted in self.parked:
            self.parked.remove(wanted)
            self._deliver()
        elif self.arrived:
            self.receiving = self.arrived.popleft()
            self.stage = "receive"
            self._run(self.main, self.host.receive_s)
        else:
            self.stage = "wait"

    def _main_goes_on(self) -> None:
        if self.stage == "receive":
            if self.host.in_order and self.receiving != len(self.delivered):
                self.parked.add(self.receiving)
                self._receive()
            else:
                self._deliver()
        elif self.stage == "host":
            self.stage = "device"
            self._sleep_until(self.main, self.delivered[-1] + self._step())
        else:
            self._ask()

    def _step(self) -> float:
        durations = self.steps.step_s
        return durations[(len(self.delivered) - 1) % len(durations)] if durations else 0.0

    def _deliver(self) -> None:
        self.delivered.append(self.now)
        self.stalled.append(self.now - self.asked)
        if self.issued < self.total:
            self._issue()
        if self.steps.host_s > 0:
            self.stage = "host"
            self._run(self.main, self.steps.host_s)
        elif self.steps.step_s:
            self.stage = "device"
            self._sleep_until(self.main, self.now + self._step())
        elif len(self.delivered) < self.total:
            self._ask()
