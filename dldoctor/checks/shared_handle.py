"""DL505 shared-handle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.shared_state import explain_wrong_data, shared, suspects
from dldoctor.checks.phrases import listed
from dldoctor.evidence.workers import Handle
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SharedHandle(Check):
    """Something is open before the workers start, and all of them use it.

    ## Why it hurts
    A forked worker gets the same open file, with one position for all: a `seek` of one moves the
    others. Archives, SQLite, HDF5 and LMDB do not support being used across a fork at all. Mostly it
    goes well, and then there is a CRC error, a crash, or wrong bytes without an error.

    ## What to do
    Open in the worker, on first use, and close before pickling:

        def file(self):
            if self._file is None:
                self._file = open(self.path, "rb")
            return self._file

    Memory maps may be shared. So may a file or descriptor
    whose position no read moves: one that is read with `os.pread` alone, or behind a memory map.

    ## When it is wrong
    Where the handle is never read from in a worker. If this run showed wrong data, DL504 says so instead.
    """

    rule = "DL505"
    name = "shared-handle"
    level = Level.RISK
    by = ("check-workers",)
    needs = ("loader", "handles")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge what is open; the harm itself is DL504's."""
        spec = case.evidence.loader
        assert spec is not None
        risky = suspects(case.evidence)
        if risky and not explain_wrong_data(case.evidence):
            in_force = spec.num_workers > 0 and spec.start_method in (None, "fork")
            yield self._open(case, risky, Level.RISK if in_force else Level.INFO)
        harmless = tuple(one for one in shared(case.evidence) if one not in risky)
        if harmless:
            yield self._open(case, harmless, Level.INFO)

    def _open(self, case: Case, handles: tuple[Handle, ...], level: Level) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        named = listed([f"`{one.path}` ({f'{one.kind} {one.file}'.strip()})" for one in handles], shown=4)
        verb = "is" if len(handles) == 1 else "are"
        then = "and all workers would share it" if level is Level.INFO else "and all workers share it"
        if not any(one in suspects(case.evidence) for one in handles):
            then = "and no read moved its position, as with `os.pread` or a memory map"
        return self.finding(
            f"{named} {verb} open before the workers start, {then}",
            advice="Open it in the worker, on first use.",
            level=level,
            where=spec.dataset_ref,
            handles=[{"path": one.path, "kind": one.kind, "file": one.file} for one in handles],
            workers=spec.num_workers,
            start_method=spec.start_method,
        )
