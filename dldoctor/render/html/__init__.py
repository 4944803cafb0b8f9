"""The report as one self-contained page, which opens without network and runs nothing but its own script.

The histograms are drawn by a Jinja macro as SVG rectangles: they take the colours of the page in
light and dark, weigh some hundred bytes each, and need no plotting library in the user's
environment (the scripts of the usual ones are larger than the whole page may be).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dldoctor.finding import Level
from dldoctor.render.clean_text import clean
from dldoctor.render.content import (
    alignment,
    batching,
    coverage,
    distributions,
    environment,
    failures,
    fields,
    findings,
    heading,
    judgements,
    labels,
    memory,
    outcome,
    placeholders,
    previews,
    profile,
    rows,
    settings,
    sweep,
    sweep_map,
    timing,
    values,
    verdict,
    vitals,
    workers,
)
from dldoctor.render.numbers import count, duration
from dldoctor.report import Report

Row = TypeVar("Row")

ROWS_SHOWN = 400
"""Rows of one table; a page of more is slow to open, and the JSON has them all."""


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
        **_verdict(report),
        **_data(report),
        **_run(report),
        **_sweep(report),
        **_profile(report),
        **_coverage(report),
        **_labels(report),
        **_alignment(report),
        **_placeholders(report),
        rows=rows.section(report),
    )


def _verdict(report: Report) -> dict[str, Any]:
    return {
        "title": heading.title(report),
        "context": heading.context(report),
        "headline": verdict.headline(report),
        "level_counts": verdict.level_counts(report),
        "scope": verdict.scope(report),
        "incomplete": verdict.incomplete(report),
        "known": verdict.known(report),
        "vitals": vitals.vitals(report) if report.command == "checkup" else (),
        "findings": _cut(findings.finding_cards(report)),
        "clean_rules": judgements.clean_rules(report),
        "not_judged": judgements.not_judged(report),
    }


def _data(report: Report) -> dict[str, Any]:
    evidence = report.evidence
    return {
        "samples": _cut(previews.sample_rows(report)),
        "own_ids": previews.own_ids(report),
        "batch_title": previews.batch_title(report),
        "batch": _cut(previews.batch_rows(report)),
        "agreement": previews.agreement(report),
        "batching": batching.batching_lines(report),
        "sample_fields": _cut(fields.field_rows(evidence.sample_fields)),
        "batch_fields": _cut(fields.field_rows(evidence.batch_fields)),
        "quantile_names": distributions.QUANTILES,
        "distributions": _cut(distributions.distribution_rows(report)),
        "constants": distributions.constants_line(report),
        "value_counts": _cut(values.value_counts(report)),
    }


def _run(report: Report) -> dict[str, Any]:
    measured = report.evidence.timing
    spreads = (("a batch", measured.batches), ("a sample", measured.samples)) if measured else ()
    said, printed = outcome.printed_lines(report)
    return {
        "timing": timing.timing_rows(report),
        "timing_spreads": [distributions.row(name, found, duration) for name, found in spreads if found],
        "overhead": timing.overhead_line(report),
        "memory": _cut(memory.process_rows(report)),
        "environment": environment.environment_rows(report),
        "memory_title": memory.title(report),
        "memory_lines": memory.lines(report),
        "experiments": workers.experiment_rows(report),
        "draws": _cut(workers.draw_rows(report)),
        "failures": _cut(failures.failure_rows(report)),
        "cut": outcome.cut_lines(report),
        "endings": outcome.outcome_rows(report),
        "said": said,
        "printed": printed,
        "loader_settings": settings.loader_settings(report),
        "machine_limits": settings.machine_limits(report),
        "roles": _cut(settings.roles(report)),
    }


def _alignment(report: Report) -> dict[str, Any]:
    """Return what the section on rows that belong together needs; null where none were traced."""
    found = alignment.found(report)
    if found is None:
        return {"alignment": None}
    return {
        "alignment": {
            "title": alignment.title(found),
            "rows": _cut(alignment.field_rows(found)),
            "lines": alignment.lines(found),
        }
    }


def _placeholders(report: Report) -> dict[str, Any]:
    """Return what the section on placeholders needs; null where there are no media beside text."""
    found = placeholders.found(report)
    if found is None:
        return {"placeholders": None}
    return {
        "placeholders": {
            "title": placeholders.title(found),
            "rows": placeholders.stream_rows(found),
            "lines": placeholders.lines(found),
        }
    }


def _labels(report: Report) -> dict[str, Any]:
    """Return what the section of token rows needs; null where none were looked at."""
    found = labels.found(report)
    if found is None:
        return {"labels": None}
    return {
        "labels": {
            "title": labels.title(found),
            "lines": (
                *labels.field_lines(found),
                *labels.sum_lines(found),
                *labels.source_lines(found),
                *labels.class_lines(found),
            ),
            "tenths": found.by_position,
            "roles": labels.ROLES,
            "rows": labels.row_views(found),
        }
    }


def _coverage(report: Report) -> dict[str, Any]:
    """Return what the section of the ranks needs; null where none ran."""
    found = coverage.found(report)
    if found is None:
        return {"coverage": None}
    return {
        "coverage": {
            "title": coverage.title(found),
            "rows": _cut(coverage.rows(found)),
            "lines": coverage.lines(found),
            "strips": _cut(coverage.strips(found)),
        }
    }


def _profile(report: Report) -> dict[str, Any]:
    """Return what the section of a profile needs; null where none was made."""
    if profile.found(report) is None:
        return {"profile": None}
    return {
        "profile": {
            "title": profile.title(report),
            "stages": profile.stage_rows(report),
            "hand_over": profile.hand_over_rows(report),
            "waits": profile.wait_rows(report),
            "wait_title": profile.wait_title(report),
            "slow": profile.slow_rows(report),
            "workers": profile.worker_rows(report),
            "lines": profile.lines(report),
            "trials": profile.trial_rows(report),
            "lanes": profile.lanes(report),
        }
    }


def _sweep(report: Report) -> dict[str, Any]:
    """Return what the section of a sweep needs; null where there was none."""
    found = sweep.found(report)
    if found is None:
        return {"sweep": None}
    return {
        "sweep": {
            "rates": sweep.rate_rows(found),
            "answer": sweep.answer(found),
            "paste": sweep.line_to_paste(found),
            "map": sweep_map.heat_map(found),
            "regions": sweep.regions(found),
            "points": sweep.point_rows(found),
            "notes": sweep.notes(found),
        }
    }


def _cut(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows that are shown, and how many are not."""
    return {"rows": rows[:ROWS_SHOWN], "left_out": max(len(rows) - ROWS_SHOWN, 0)}


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
