"""The loader as an exact recurrence, where there is a core for everybody: one pass, no events.

::

    finished[n]  = max(finished[n - W], delivered[n - W*P]) + work[n]      the worker is free, a credit came back
    delivered[n] = max(finished[n], delivered[n-1] + step[n-1]) + receive  in order, to a consumer that is ready
"""

from __future__ import annotations

from dldoctor.sweep.model import Host, Setting, Steps, Timeline, Work


def recur(work: Work, setting: Setting, steps: Steps, host: Host) -> Timeline:
    """Return the deliveries of a loader whose processes never wait for a core."""
    if setting.workers == 0:
        return serial(work, steps, host)
    workers, flying = setting.workers, setting.credits
    durations = steps.step_s or (0.0,)
    finished: list[float] = []
    delivered: list[float] = []
    stalled: list[float] = []
    ready = 0.0
    for n, (cpu, wait) in enumerate(zip(work.cpu_s, work.wait_s, strict=True)):
        free = finished[n - workers] if n >= workers else 0.0
        credit = delivered[n - flying] if n >= flying else 0.0
        finished.append(max(free, credit) + cpu + wait)
        at = max(finished[n], ready) + host.receive_s
        delivered.append(at)
        stalled.append(at - ready)
        ready = at + max(durations[n % len(durations)], steps.host_s)
    return Timeline(tuple(delivered), tuple(stalled))


def serial(work: Work, steps: Steps, host: Host) -> Timeline:
    """Return the deliveries without workers: the main process makes each batch when it is asked for."""
    durations = steps.step_s or (0.0,)
    delivered, stalled = [], []
    at = ready = 0.0
    speed = host.speed(1)
    for n, (cpu, wait) in enumerate(zip(work.cpu_s, work.wait_s, strict=True)):
        at = ready + cpu / speed + wait
        delivered.append(at)
        stalled.append(at - ready)
        ready = at + max(durations[n % len(durations)], steps.host_s)
    return Timeline(tuple(delivered), tuple(stalled))
