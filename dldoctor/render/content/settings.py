"""Settings of the loader, limits of the machine, and how each field was understood, name by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.finding import SourceRef
from dldoctor.render.clean_text import clean
from dldoctor.render.content.findings import fact_text
from dldoctor.render.numbers import share
from dldoctor.report import Report

Pairs = tuple[tuple[str, str], ...]


def loader_settings(report: Report) -> Pairs:
    """Return the settings of the loader."""
    return _pairs(report.evidence.loader, report.loader)


def machine_limits(report: Report) -> Pairs:
    """Return the limits of the machine."""
    return _pairs(report.evidence.machine, report.machine)


def roles(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """Return path, role, confidence and reason of each field that was understood."""
    return tuple(
        (clean(path, 120), clean(found.role, 40), share(found.confidence), clean(found.why, 300))
        for path, found in report.inferred.items()
    )


def _pairs(measured: LoaderSpec | MachineEvidence | None, saved: dict[str, Any]) -> Pairs:
    named = {f.name: getattr(measured, f.name) for f in fields(measured)} if measured else saved
    return tuple(
        (clean(name, 60), clean(str(value), 300) if isinstance(value, SourceRef) else fact_text(name, value))
        for name, value in named.items()
        if value not in (None, "", (), [], {})
    )
