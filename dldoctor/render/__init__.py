"""From a report to a format: pure functions, one format each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dldoctor.errors import ConfigError, nearest
from dldoctor.report import Report, dumps

# The formats import their libraries when they are used: `--help` must not wait for Jinja2.


def _terminal(report: Report) -> str:
    from dldoctor.render.terminal import plain

    return plain(report)


def _json(report: Report) -> str:
    return dumps(report).decode() + "\n"


def _html(report: Report) -> str:
    from dldoctor.render.html import page

    return page(report)


def _sarif(report: Report) -> str:
    from dldoctor.render.sarif import sarif

    return sarif(report)


def _junit(report: Report) -> str:
    from dldoctor.render.junit import junit

    return junit(report)


def _markdown(report: Report) -> str:
    from dldoctor.render.markdown import markdown

    return markdown(report)


def _github(report: Report) -> str:
    from dldoctor.render.github import github

    return github(report)


FORMATS: dict[str, Callable[[Report], str]] = {
    "terminal": _terminal,
    "json": _json,
    "html": _html,
    "sarif": _sarif,
    "junit": _junit,
    "markdown": _markdown,
    "github": _github,
}
"""Every format by the name that ``--format`` takes."""

EXTENSIONS = {
    ".txt": "terminal",
    ".json": "json",
    ".html": "html",
    ".sarif": "sarif",
    ".xml": "junit",
    ".md": "markdown",
}
"""Extension of an output file to its format."""


def format_of(path: Path, given: str | None = None) -> str:
    """Return the format of an output file: the one that is `given`, else the one of its extension.

    Raises:
        ConfigError: the format or the extension is not known.
    """
    if given is not None:
        if given not in FORMATS:
            raise ConfigError(f"no format `{given}`{nearest(given, list(FORMATS))} ({', '.join(FORMATS)})")
        return given
    if str(path) == "-":
        return "terminal"
    extension = path.suffix.lower()
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    known = f"({' '.join(EXTENSIONS)}; or name one with `--format`)"
    if not extension:
        raise ConfigError(f"the format of `{path}` cannot be told without an extension {known}")
    raise ConfigError(
        f"no format for `{extension}` of `{path}`{nearest(extension, list(EXTENSIONS))} {known}"
    )
