"""Whether the loader fails because its workers cannot be sent what they need: DL510's, not DL105's."""

from __future__ import annotations

from dldoctor.evidence import Evidence


def cannot_travel(evidence: Evidence) -> bool:
    """Tell whether something cannot be pickled under the start method that the loader uses."""
    spec, measured = evidence.loader, evidence.start_methods
    if spec is None or measured is None or spec.num_workers == 0:
        return False
    failing = {trial.method for trial in measured.trials if trial.outcome == "fails"}
    return bool(measured.unpicklable) and measured.in_force in failing
