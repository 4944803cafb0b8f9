"""The folder of ``--dump``: the files of an earlier dump are replaced, and no others touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dldoctor.cli.destinations import write_whole
from dldoctor.errors import ConfigError, ReportError
from dldoctor.intent import TargetOptions
from dldoctor.render.row_files import name_of, row_files
from dldoctor.report import Report

MADE = ".dldoctor-rows"
"""Lists what a dump wrote; a folder without it is somebody else's."""


@dataclass(frozen=True)
class RowFolder:
    """Where the rows of all reports of one command go."""

    place: Path
    several: bool
    """Each target has a folder below."""
    loader: str | None
    """The loader that was asked for by name: it needs no folder of its own."""

    @classmethod
    def of(cls, place: Path | None, *, several: bool, loader: str | None) -> RowFolder | None:
        """Return the folder, or nothing where none was asked for.

        Raises:
            ConfigError: it holds what no dump wrote.
        """
        if place is None:
            return None
        _refuse_foreign(place)
        return cls(place, several, loader)

    def write(self, report: Report, target: TargetOptions) -> None:
        """Write the rows of one report."""
        own = self.several or (target.loader_key is not None and target.loader_key != self.loader)
        name = name_of(f"{target.spec}-{target.loader_key}" if target.loader_key else target.spec)
        place = self.place / name if own else self.place
        if own:
            self.place.mkdir(parents=True, exist_ok=True)
            _mark(self.place, [])
            _refuse_foreign(place)
        files = row_files(report)
        for old in _written(place):
            if old not in files:
                (place / old).unlink(missing_ok=True)
        _mark(place, sorted(files))
        for file, data in files.items():
            write_whole(place / file, data)


def _refuse_foreign(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise ConfigError(f"--dump {place}: it is a file; name a folder")
    if place.is_dir() and not (place / MADE).is_file() and any(place.iterdir()):
        raise ConfigError(f"--dump {place}: the folder holds files that no dump wrote; name an empty one")


def _written(place: Path) -> list[str]:
    """Return the files of the earlier dump; a name that leads elsewhere is none of ours."""
    try:
        names = (place / MADE).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [name for name in names if name and Path(name).name == name and name not in (".", "..")]


def _mark(place: Path, names: list[str]) -> None:
    known = names or _written(place)
    try:
        write_whole(place / MADE, ("\n".join(known) + "\n").encode())
    except OSError as error:
        raise ReportError(f"cannot write {place}: {error.strerror}") from error
