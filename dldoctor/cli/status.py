"""What the exit status says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dldoctor.finding import FailOn
    from dldoctor.report import Report

OK: Final = 0
"""Judged; no finding at or above ``--fail-on``."""
FOUND: Final = 1
"""Judged; at least one finding at or above ``--fail-on``."""
NOT_JUDGED: Final = 2
"""Could not be judged: bad usage or config, target not found or raising on import."""
FAULT: Final = 70
"""A fault in dldoctor itself."""
INTERRUPTED: Final = 130
"""Stopped by Ctrl-C or SIGTERM; the report so far is written."""

_WORST_LAST = (OK, FOUND, NOT_JUDGED, FAULT, INTERRUPTED)


def of(report: Report, fail_on: FailOn) -> int:
    """Return the status that a report calls for."""
    from dldoctor.finding import Level

    if not report.complete:
        return INTERRUPTED
    if report.faults:
        return FAULT
    worst = report.summary.worst
    if worst is None or fail_on == "never":
        return OK
    return FOUND if worst.rank <= Level(fail_on).rank else OK


def worst(statuses: list[int]) -> int:
    """Return the status of several runs together."""
    return max(statuses, key=_WORST_LAST.index, default=OK)
