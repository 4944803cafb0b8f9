"""The errors that dldoctor raises on purpose.

::

    DldoctorError                 could not be judged: exit status 2
    ├── TargetError               the target was not found, or raised while it was imported or called
    │   └── SeveralLoadersError   it holds several loaders and none was picked
    ├── ConfigError               a config file or an option says something that is not known
    ├── ReportError               a saved report could not be read or written
    └── ChildError                the process that runs the user's code could not be started

A fault of the *user's pipeline* is never an exception here: it is a finding. Only `assert_healthy`
raises for one, an `UnhealthyError`, which is an `AssertionError`. A fault of dldoctor
itself is any other exception (an `InternalError` where it happened in another process), and ends with
status 70. One that concerns a part of the run stands in the report beside what the other parts found.
"""

from __future__ import annotations

from difflib import get_close_matches


class DldoctorError(Exception):
    """Something that the user can put right: what happened, to which thing, what to do."""


class TargetError(DldoctorError):
    """The target was not found, or its import or its call raised."""


class SeveralLoadersError(TargetError):
    """The target holds several loaders and none was picked; `names` has what ``--loader`` takes."""

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        """Keep the names, so that a caller can judge each of them in turn."""
        super().__init__(message)
        self.names = names


class ConfigError(DldoctorError):
    """A config file or an option holds an unknown name or an impossible value."""


class ReportError(DldoctorError):
    """A saved report is not one, or is of a schema that this version does not read."""


class ChildError(DldoctorError):
    """The process that runs the user's code could not be started, or its Python is too old."""


class InternalError(Exception):
    """A fault of dldoctor's own in another process; its traceback is the text."""


class UnhealthyError(AssertionError):
    """A loader that was asserted to be healthy has findings; the text is the report."""


def nearest(name: str, known: list[str] | tuple[str, ...]) -> str:
    """Return ``; did you mean `x`?`` for the known name nearest to `name`, or an empty string."""
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean `{close[0]}`?" if close else ""
