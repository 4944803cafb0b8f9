"""Places in the user's code as tools that show a whole project want them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from dldoctor.finding import Finding, SourceRef
from dldoctor.report import Report


@dataclass(frozen=True)
class Place:
    """A file of the project, or one outside of it."""

    path: str
    """With slashes; relative to the root of the project, absolute outside of it."""
    line: int | None
    inside: bool

    @property
    def uri(self) -> str:
        """The path as part of a URI; what is outside is a ``file:`` URI."""
        quoted = quote(self.path, errors="replace")
        return quoted if self.inside else f"file://{quoted}"


def root() -> Path:
    """Return the root of the project: the nearest folder above that git keeps, else this one."""
    here = Path.cwd()
    return next((place for place in (here, *here.parents) if (place / ".git").exists()), here)


def place_of(finding: Finding, report: Report) -> Place | None:
    """Return where to show a finding: its own place, else the dataset's, else the target's file."""
    loader = report.evidence.loader
    target = SourceRef(report.target.rpartition(":")[0] or report.target)
    known = [finding.where, *((loader.dataset_ref, loader.collate_ref) if loader else ())]
    if target.path.endswith((".py", ".ipynb")):
        known.append(target)
    found = next((where for where in known if where is not None and where.path), None)
    return None if found is None else _in_project(found)


def _in_project(where: SourceRef) -> Place:
    line = where.line if where.line is not None and where.line > 0 else None
    path = Path(where.path.replace("\0", "\ufffd"))
    whole = path if path.is_absolute() else Path.cwd() / path
    try:
        return Place(whole.relative_to(root()).as_posix(), line, inside=True)
    except ValueError:
        return Place(whole.as_posix(), line, inside=False)
