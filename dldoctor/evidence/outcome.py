"""How the run went: exceptions, deaths, hangs, and what was cut short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SampleId, SourceRef


@dataclass(frozen=True)
class Failure:
    """Exceptions of one kind at one place of the user's code."""

    stage: Literal["sample", "collate", "loader"]
    """`sample`: ``__getitem__`` or ``__iter__``; `collate`: the collate function; `loader`:
    anything else that came out of ``next(loader)`` (sampler, transfer, pinning)."""
    id: SampleId | None
    """The first sample; for `collate` the first sample of the batch; null for `loader`."""
    error: str
    """``ValueError: text``, one line, at most 300 characters."""
    kind: str
    """Name of the exception class."""
    count: int = 1
    where: SourceRef | None = None
    """The innermost frame in the user's own code."""
    samples: tuple[SampleId, ...] = ()
    """Failing samples (for `collate` all samples of the first failing batch), the first 50."""
    phase: str = "loader"
    """Which probe met it."""
    raised_by_user: bool = True
    """Whether a frame of the user's own raised it; false where a library did, called from there."""
    batch: int | None = None
    """For `sample`: number of the first batch that it struck, from 0 in the order of delivery;
    null where that is not known."""
    retried: bool = False
    """For `sample`: the dataset had swallowed an exception and asked itself for another index, and
    this came out of that retry. A nested read outside an exception (mixup) does not count."""
    culprit: SampleId | None = None
    """For `collate`: the one sample without which the batch collates, where there is just one."""
    culprit_field: str | None = None
    """For `collate`: the field that differs in that sample, where one does."""


@dataclass(frozen=True)
class WorkAt:
    """What a process was last seen doing."""

    worker: int | None
    """Worker number; null for the main process."""
    pid: int
    stage: str
    """`import`, `getitem`, `iter`, `collate`, `idle`, `next`, or another named step."""
    sample: SampleId | None = None
    """The sample that it was working on, or had last read."""
    batch: int | None = None
    rss_bytes: int | None = None
    """Resident memory when last seen alive."""


@dataclass(frozen=True)
class Death:
    """A process that ended by signal or exit code while it was needed."""

    at: WorkAt
    signal: str | None
    """``SIGKILL`` and so on; null where it exited."""
    exit_code: int | None
    """Null where a signal ended it."""
    phase: str
    where: SourceRef | None = None
    """The user's innermost frame, where a fault handler left one."""
    out_of_memory: bool = False
    """The kernel's or the cgroup's out-of-memory counter rose while it ran."""
    memory_limit_bytes: int | None = None
    stderr_tail: str = ""


@dataclass(frozen=True)
class Stack:
    """The frames of one thread, innermost first."""

    at: WorkAt
    thread: str
    frames: tuple[SourceRef, ...]
    state: str = ""
    """Process state letter of the kernel (R runs, S sleeps, D waits for storage)."""


@dataclass(frozen=True)
class Hang:
    """No progress within the deadline."""

    phase: str
    waited_s: float
    deadline_s: float
    stacks: tuple[Stack, ...]
    where: SourceRef | None = None
    """The user's innermost frame in the process that holds the others up."""
    samples_read: int = 0
    """Samples delivered by the dataset before it."""
    moving: bool = False
    """The user's code was seen at work (other lines, CPU time spent) while nothing came."""


@dataclass(frozen=True)
class OutcomeEvidence:
    """What ended early, and what the user's code printed."""

    deaths: tuple[Death, ...] = ()
    hangs: tuple[Hang, ...] = ()
    cut: tuple[str, ...] = ()
    """What a budget, a limit or an interrupt cut short, one sentence each."""
    interrupted: bool = False
    printed: str = ""
    """Last 4,000 characters of what the user's code printed, standard error included."""
    printed_lines: int = 0
