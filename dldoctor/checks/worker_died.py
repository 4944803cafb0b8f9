"""DL508 worker-died."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.phrases import place, size
from dldoctor.evidence.outcome import Death, WorkAt
from dldoctor.finding import Finding, Level, Unjudged

CRASHES = ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")
"""Signals by which compiled code ends itself."""

STAGES = {
    "import": "importing the target",
    "getitem": "reading",
    "iter": "reading",
    "collate": "collating",
    "next": "waiting for the loader",
    "idle": "waiting",
}
"""What a stage is called in a sentence."""


@dataclass(frozen=True)
class WorkerDied(Check):
    """A worker, or the process that reads without workers, ended by a signal or an exit code.

    ## Why it hurts
    PyTorch can only say "DataLoader worker (pid 1234) exited unexpectedly", and sometimes not even
    that (a connection error, or a wait without end). Neither the sample nor the cause is named.

    ## What to do
    SIGKILL: mostly the system, out of memory; lower `num_workers`, the prefetch factor or the
    batch size. SIGSEGV, SIGABRT: compiled code (a decoder, a handle that was opened before the
    fork); read the named sample alone without workers. SIGBUS: `/dev/shm` is full, or a mapped file
    became shorter. An exit code: someone called `sys.exit` or `os._exit`; raise an exception.

    ## When it is wrong
    Where somebody ended the process by hand while it was being watched.
    """

    rule = "DL508"
    name = "worker-died"
    level = Level.ERROR
    memory_share: float = 0.8
    """Above this share of the limit, memory is named as the likely reason of a SIGKILL."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each way in which a process ended, once however many probes met it."""
        seen: set[tuple[str | None, int | None, str]] = set()
        first: dict[tuple[str | None, int | None], str] = {}
        deaths = case.evidence.outcome.deaths
        for death in deaths:
            kind = (death.signal, death.exit_code, _doing(death))
            # A later probe meets the same fault again, at a sample before or after.
            if kind in seen or first.setdefault(kind[:2], death.phase) != death.phase:
                continue
            seen.add(kind)
            alike = [one for one in deaths if (one.signal, one.exit_code, _doing(one)) == kind]
            sample = death.at.sample

            yield self.finding(
                f"{process_named(death.at)} {_ended(death)} while {_doing(death)}{place(death.where)}"
                f"{self._memory(case, death)}",
                advice=self._advice(case, death),
                where=death.where,
                samples=dict.fromkeys(one.at.sample for one in alike if one.at.sample is not None),
                signal=death.signal,
                exit_code=death.exit_code,
                worker=death.at.worker,
                stage=death.at.stage,
                last_sample=None if sample is None else str(sample),
                batch=death.at.batch,
                rss_bytes=death.at.rss_bytes,
                memory_limit_bytes=self._limit(case, death),
                out_of_memory=death.out_of_memory,
                deaths=len(alike),
                stderr=death.stderr_tail,
            )

    def _limit(self, case: Case, death: Death) -> int | None:
        machine = case.evidence.machine
        return death.memory_limit_bytes or (machine.memory_limit_bytes if machine else None)

    def _memory(self, case: Case, death: Death) -> str:
        if death.signal not in ("SIGKILL", "SIGBUS", "SIGABRT"):
            return ""
        oom = "; the system ran out of memory" if death.out_of_memory else ""
        rss, limit = death.at.rss_bytes, self._limit(case, death)
        if rss is None:
            return oom
        of = f" of {size(limit)} allowed" if limit else ""
        return f"{oom}; it held {size(rss)}{of} when last seen"

    def _advice(self, case: Case, death: Death) -> str:
        sample = death.at.sample
        alone = "" if sample is None else f" sample {sample}"
        if death.signal == "SIGKILL":
            rss, limit = death.at.rss_bytes, self._limit(case, death)
            full = rss is not None and limit is not None and rss >= self.memory_share * limit
            if death.out_of_memory or full:
                return "Lower `num_workers`, `prefetch_factor` or the batch size, or read less of a file at once."
            return f"Find who sent the signal (the system's log shows its memory killer), then read{alone} alone."
        if death.signal == "SIGBUS":
            return "Enlarge `/dev/shm`, or look whether a memory-mapped file became shorter."
        if death.signal in CRASHES:
            return (
                f"Read{alone or ' the sample'} alone without workers, and look at the compiled code it calls."
            )
        if death.signal is not None:
            return "Find who sends this signal to the process."
        return "Raise an exception instead of calling `sys.exit` or `os._exit`."


def process_named(at: WorkAt) -> str:
    """Return ``worker 1`` or ``the main process``."""
    return "the main process" if at.worker is None else f"worker {at.worker}"


def _ended(death: Death) -> str:
    if death.signal is not None:
        return f"was ended by {death.signal}"
    return f"exited with code {death.exit_code}"


def _doing(death: Death) -> str:
    stage = STAGES.get(death.at.stage, f"in {death.at.stage}")
    if death.at.sample is None or death.at.stage not in ("getitem", "iter", "collate"):
        last = "" if death.at.sample is None else f" (last sample {death.at.sample})"
        return f"{stage}{last}"
    if death.at.stage == "collate":
        return f"{stage} a batch that ends with sample {death.at.sample}"
    return f"{stage} sample {death.at.sample}"
