"""What each section of the page needs of a report, by the names that the templates use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

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
    splits,
    sweep,
    sweep_map,
    timing,
    token_sums,
    values,
    verdict,
    vitals,
    waterfall,
    workers,
)
from dldoctor.render.numbers import duration
from dldoctor.report import Report

Row = TypeVar("Row")

ROWS_SHOWN = 400
"""Rows of one table; a page of more is slow to open, and the JSON has them all."""


def sections(report: Report) -> dict[str, Any]:
    """Return everything that the page shows of a report."""
    return {
        **_verdict(report),
        **_data(report),
        **_run(report),
        "sweep": _sweep(report),
        "profile": _profile(report),
        "coverage": _coverage(report),
        "labels": _labels(report),
        "alignment": _alignment(report),
        "placeholders": _placeholders(report),
        "rows": rows.section(report),
        "splits": _splits(report),
    }


def _verdict(report: Report) -> dict[str, Any]:
    unjudged = judgements.not_judged(report)
    return {
        "title": heading.title(report),
        "context": heading.context(report),
        "headline": verdict.headline(report),
        "level_counts": verdict.level_counts(report),
        "scope": verdict.scope(report),
        "incomplete": verdict.incomplete(report),
        "known": verdict.known(report),
        "vitals": vitals.vitals(report) if report.command == "checkup" else (),
        "findings": cut(findings.finding_cards(report)),
        "clean_rules": judgements.clean_rules(report),
        "not_judged": tuple(one for one in unjudged if one.status != judgements.NOT_APPLICABLE),
        "not_applicable": tuple(one for one in unjudged if one.status == judgements.NOT_APPLICABLE),
    }


def _data(report: Report) -> dict[str, Any]:
    evidence = report.evidence
    return {
        "samples": cut(previews.sample_rows(report)),
        "own_ids": previews.own_ids(report),
        "batch_title": previews.batch_title(report),
        "batch": cut(previews.batch_rows(report)),
        "agreement": previews.agreement(report),
        "batching": batching.batching_lines(report),
        "sample_fields": cut(fields.field_rows(evidence.sample_fields)),
        "batch_fields": cut(fields.field_rows(evidence.batch_fields)),
        "quantile_names": distributions.QUANTILES,
        "distributions": cut(distributions.distribution_rows(report)),
        "constants": distributions.constants_line(report),
        "value_counts": cut(values.value_counts(report)),
    }


def _run(report: Report) -> dict[str, Any]:
    measured = report.evidence.timing
    spreads = (("a batch", measured.batches), ("a sample", measured.samples)) if measured else ()
    said, printed = outcome.printed_lines(report)
    return {
        "timing": timing.timing_rows(report),
        "timing_spreads": [distributions.row(name, found, duration) for name, found in spreads if found],
        "overhead": timing.overhead_line(report),
        "memory": cut(memory.process_rows(report)),
        "environment": environment.environment_rows(report),
        "memory_title": memory.title(report),
        "memory_lines": memory.lines(report),
        "experiments": workers.experiment_rows(report),
        "draws": cut(workers.draw_rows(report)),
        "failures": cut(failures.failure_rows(report)),
        "cut": outcome.cut_lines(report),
        "endings": outcome.outcome_rows(report),
        "said": said,
        "printed": printed,
        "loader_settings": settings.loader_settings(report),
        "machine_limits": settings.machine_limits(report),
        "roles": cut(settings.roles(report)),
    }


def _splits(report: Report) -> dict[str, Any] | None:
    """Return what the section of two loaders needs; null where one was examined."""
    found = splits.found(report)
    return None if found is None else {"titles": splits.titles(found), "rows": splits.rows(found)}


def _alignment(report: Report) -> dict[str, Any] | None:
    """Return what the section on rows that belong together needs; null where none were traced."""
    found = alignment.found(report)
    if found is None:
        return None
    return {
        "title": alignment.title(found),
        "rows": cut(alignment.field_rows(found)),
        "lines": alignment.lines(found),
    }


def _placeholders(report: Report) -> dict[str, Any] | None:
    """Return what the section on placeholders needs; null where there are no media beside text."""
    found = placeholders.found(report)
    if found is None:
        return None
    return {
        "title": placeholders.title(found),
        "rows": placeholders.stream_rows(found),
        "lines": placeholders.lines(found),
    }


def _labels(report: Report) -> dict[str, Any] | None:
    """Return what the section of token rows needs; null where none were looked at."""
    found = labels.found(report)
    if found is None:
        return None
    return {
        "title": labels.title(found),
        "lines": (
            *labels.field_lines(found),
            *token_sums.sum_lines(found),
            *labels.source_lines(found),
            *labels.class_lines(found),
        ),
        "tenths": found.by_position,
        "roles": labels.ROLES,
        "rows": labels.row_views(found),
    }


def _coverage(report: Report) -> dict[str, Any] | None:
    """Return what the section of the ranks needs; null where none ran."""
    found = coverage.found(report)
    if found is None:
        return None
    return {
        "title": coverage.title(found),
        "rows": cut(coverage.rows(found)),
        "lines": coverage.lines(found),
        "strips": cut(coverage.strips(found)),
    }


def _profile(report: Report) -> dict[str, Any] | None:
    """Return what the section of a profile needs; null where none was made."""
    if profile.found(report) is None:
        return None
    return {
        "title": profile.title(report),
        "stages": waterfall.stage_rows(report),
        "hand_over": waterfall.hand_over_rows(report),
        "waits": profile.wait_rows(report),
        "wait_title": profile.wait_title(report),
        "slow": profile.slow_rows(report),
        "workers": profile.worker_rows(report),
        "lines": profile.lines(report),
        "trials": profile.trial_rows(report),
        "lanes": profile.lanes(report),
    }


def _sweep(report: Report) -> dict[str, Any] | None:
    """Return what the section of a sweep needs; null where there was none."""
    found = sweep.found(report)
    if found is None:
        return None
    return {
        "rates": sweep.rate_rows(found),
        "answer": sweep.answer(found),
        "paste": sweep.line_to_paste(found),
        "map": sweep_map.heat_map(found),
        "regions": sweep.regions(found),
        "points": sweep.point_rows(found),
        "notes": sweep.notes(found),
    }


def cut(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows that are shown, and how many are not."""
    return {"rows": rows[:ROWS_SHOWN], "left_out": max(len(rows) - ROWS_SHOWN, 0)}
