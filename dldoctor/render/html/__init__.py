"""The report as one self-contained page, which opens without network and runs nothing but its own script.

The histograms are drawn by a Jinja macro as SVG rectangles: they take the colours of the page in
light and dark, weigh some hundred bytes each, and need no plotting library in the user's
environment (the scripts of the usual ones are larger than the whole page may be).
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dldoctor.finding import Level
from dldoctor.render.clean_text import clean
from dldoctor.render.html.sections import sections
from dldoctor.render.numbers import count
from dldoctor.report import Report


def page(report: Report) -> str:
    """Return the page."""
    environment = _environment()
    style = _inlined(environment, "style.css")
    script = _inlined(environment, "script.js") + _inlined(environment, "rows.js")
    return environment.get_template("page.html").render(
        style=style,
        script=script,
        policy=_policy(style, script),
        levels=[level.value for level in Level],
        started_at=clean(report.started_at, 40),
        version=clean(f"{report.tool.name} {report.tool.version}", 60),
        **sections(report),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("dldoctor.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    environment.filters["ticked"] = _ticked
    return environment


def _ticked(text: str) -> Markup:
    """Return text whose parts between backticks are code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a tick without its fellow
        return Markup.escape(text)
    code = Markup("<code>{}</code>")
    return Markup("").join(
        code.format(part) if i % 2 else Markup.escape(part) for i, part in enumerate(parts)
    )


def _inlined(environment: Environment, name: str) -> Markup:
    """Return one of our own files as it stands between its tags; no data ever enters it."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])  # noqa: S704  # our own file


def _policy(style: str, script: str) -> str:
    """Return a policy under which the page can load nothing and run only its own script."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; media-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
