"""Where reports go: standard output, and files that are whole or absent."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dldoctor.cli.console import console
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.streams import write
from dldoctor.errors import ConfigError, ReportError
from dldoctor.render import EXTENSIONS, FORMATS, format_of
from dldoctor.render.terminal import view
from dldoctor.report import Report

STDOUT: Final = "-"
TERMINAL: Final = "terminal"


@dataclass(frozen=True)
class Destinations:
    """All places that the reports of one command go to."""

    files: tuple[tuple[str, str], ...]
    """Path pattern and format, in the order given."""
    stdout: str | None
    """Format of what is printed; null prints nothing."""
    no_color: bool = False
    verbose: bool = False

    @classmethod
    def of(cls, options: OutputGroup, *, several: bool = False) -> Destinations:
        """Return the places that the options name.

        Raises:
            ConfigError: a format is unknown, or one path would be written by several reports.
        """
        if options.format is not None:
            format_of(Path(STDOUT), options.format)
        paths = options.output or []
        files = tuple((path, _format(path, options.format)) for path in paths if path != STDOUT)
        for path, _ in files:
            folder = Path(path).absolute().parent
            if not (folder.is_dir() or folder.parent.is_dir()):
                raise ConfigError(f"cannot write `-o {path}`: there is no folder {folder.parent}")
            if several and "{target}" not in path and not _is_folder(path):
                raise ConfigError(f"several targets need a folder or {{target}} in `-o {path}`")
        printed = None if options.quiet and STDOUT not in paths else (options.format or TERMINAL)
        if files and STDOUT not in paths and printed:
            # The format was meant for the files; what people read while they wait stays.
            printed = TERMINAL
        return cls(files, printed, no_color=options.no_color, verbose=options.verbose)

    def deliver(self, report: Report, name: str) -> None:
        """Print the report of a target and write its files."""
        if self.stdout == TERMINAL:
            self._print(report)
        elif self.stdout is not None:
            write(FORMATS[self.stdout](report))
        for pattern, form in self.files:
            write_whole(_place(pattern, form, name), FORMATS[form](report).encode("utf-8", "replace"))

    def _print(self, report: Report) -> None:
        console(no_color=self.no_color).print(view(report, verbose=self.verbose))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except FileExistsError as error:
        raise ReportError(f"cannot write {path}: its folder is a file") from error
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        # mkstemp makes files that only their owner reads; a report is as readable as any other file.
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}") from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_folder(path: str) -> bool:
    return path.endswith(("/", os.sep)) or Path(path).is_dir()


def _format(path: str, chosen: str | None) -> str:
    """Return the format for a path; what goes to a folder is JSON unless a format was chosen."""
    if chosen is None and _is_folder(path):
        return "json"
    return format_of(Path(path), chosen)


def _place(pattern: str, form: str, name: str) -> Path:
    """Return the file that the report of a target goes to."""
    if _is_folder(pattern):
        ending = next((ending for ending, known in EXTENSIONS.items() if known == form), f".{form}")
        return Path(pattern) / f"{name}{ending}"
    return Path(pattern.replace("{target}", name))
