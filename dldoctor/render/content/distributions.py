"""Lengths, image sizes and bytes as distributions, with the samples at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dldoctor.evidence.batches import PaddingEvidence
from dldoctor.evidence.distribution import Bin, Distribution
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import id_text
from dldoctor.render.numbers import number, size
from dldoctor.report import Report

QUANTILES = ("min", "p1", "p50", "p90", "p99", "max")
"""Columns of `DistributionRow.cells`."""


@dataclass(frozen=True)
class DistributionRow:
    """One quantity over all samples (or batches)."""

    name: str
    """Quantity with its unit, where the cells do not carry it."""
    cells: tuple[str, ...]
    """The values under `QUANTILES`."""
    bins: tuple[Bin, ...]
    smallest: str
    """Ids of the smallest with their values."""
    largest: str
    constant: bool
    """All values are equal as far as they are shown, so that ends and bars say nothing."""
    of_batches: bool = False
    """The ends are batches, named by their first sample."""


def distribution_rows(report: Report) -> tuple[DistributionRow, ...]:
    """Return the distributions that spread, those of single fields first."""
    return tuple(item for item in _rows(report) if not item.constant)


def constants_line(report: Report) -> str:
    """Return the quantities that are the same everywhere, as far as they are shown."""
    same = [f"{item.name} {item.cells[0]}" for item in _rows(report) if item.constant]
    return f"without spread: {', '.join(same)}" if same else ""


def _rows(report: Report) -> Iterator[DistributionRow]:
    for field in report.evidence.sample_fields:
        path = clean(field.path, 80)
        if field.lengths:
            yield row(f"{path} ({_length_unit(report, field)})", field.lengths)
        if field.heights:
            yield row(f"{path} height (px)", field.heights)
        if field.widths:
            yield row(f"{path} width (px)", field.widths)
    samples, batches = report.evidence.samples, report.evidence.batches
    if batches and batches.padding and not _known(report, batches.padding):
        yield row(f"{clean(batches.padding.path, 80)} (tokens, unpadded)", batches.padding.lengths)
    if samples and samples.bytes:
        yield row("bytes of a sample", samples.bytes, size)
    if batches and batches.bytes:
        yield row("bytes of a batch", batches.bytes, size, of_batches=True)


def _known(report: Report, padding: PaddingEvidence) -> bool:
    """Whether the unpadded lengths are those that a field of the samples shows already."""
    found = padding.lengths
    ends = (found.min, found.p50, found.max)
    shown = (field.lengths for field in report.evidence.sample_fields if field.lengths)
    return any((lengths.min, lengths.p50, lengths.max) == ends for lengths in shown)


def _whole(value: float) -> str:
    # Quantiles of whole numbers lie between them, within 1%.
    return number(round(value)) if math.isfinite(value) else number(value)


def row(
    name: str,
    found: Distribution,
    show: Callable[[float], str] = _whole,
    of_batches: bool = False,
) -> DistributionRow:
    """Return the row of one distribution, with values as `show` writes them: whole numbers unless told."""
    cells = tuple(show(value) for value in (found.min, found.p1, found.p50, found.p90, found.p99, found.max))
    return DistributionRow(
        name=name,
        cells=cells,
        bins=found.histogram,
        smallest=", ".join(f"{id_text(e.id)} ({show(e.value)})" for e in found.smallest[:3]),
        largest=", ".join(f"{id_text(e.id)} ({show(e.value)})" for e in found.largest[:3]),
        constant=len(set(cells)) == 1,
        of_batches=of_batches,
    )


def _length_unit(report: Report, field: FieldEvidence) -> str:
    role = report.inferred.get(field.path)
    if (
        role
        and role.confidence >= 0.7
        and role.role in ("token_ids", "labels", "attention_mask", "loss_mask")
    ):
        return "tokens"
    if field.container in ("str", "bytes"):
        return "characters" if field.container == "str" else "bytes"
    return "elements"
