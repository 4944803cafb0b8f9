"""What cannot be sent to workers: its cure, and whether the loader fails by it (DL510's, not DL105's)."""

from __future__ import annotations

from dldoctor.evidence import Evidence

_CURES = {
    "lambda": "write it as a function at the top of a module",
    "local function": "move it to the top of a module, or use `functools.partial` of one that is there",
    "local class": "move the class to the top of a module",
    "generator": "keep what makes it, and start it in the worker",
    "lock": "make it in the worker, or leave it out in `__getstate__`",
    "thread": "start it in the worker, or leave it out in `__getstate__`",
    "synchronisation": "make it by the context that starts the workers (`multiprocessing.get_context`)",
    "module": "import it where it is used",
    "other": "leave it out in `__getstate__`, and make it again in the worker",
}
_OPEN = "open it in the worker, on first use, and leave it out in `__getstate__`"


def cannot_travel(evidence: Evidence) -> bool:
    """Tell whether something cannot be pickled under the start method that the loader uses."""
    spec, measured = evidence.loader, evidence.start_methods
    if spec is None or measured is None or spec.num_workers == 0:
        return False
    failing = {trial.method for trial in measured.trials if trial.outcome == "fails"}
    return bool(measured.unpicklable) and measured.in_force in failing


def cure(kind: str) -> str:
    """Return what to do about a leaf of that kind."""
    return _CURES.get(kind, _OPEN)
