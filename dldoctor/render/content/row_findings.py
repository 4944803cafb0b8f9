"""What the judged evidence says of single rows: the findings that name them, and fields of other samples."""

from __future__ import annotations

from dldoctor.evidence.row_media import MediaRow
from dldoctor.finding import Finding, SampleId
from dldoctor.render.clean_text import clean
from dldoctor.report import Report


def rules_by_sample(report: Report) -> dict[SampleId, tuple[Finding, ...]]:
    """Return the findings of each sample, worst first."""
    found: dict[SampleId, tuple[Finding, ...]] = {}
    for one in report.findings:
        for sample in one.samples:
            found[sample] = (*found.get(sample, ()), one)
    return found


def foreign_fields(report: Report) -> dict[int, tuple[str, ...]]:
    """Return what fields of a row come from other samples, by the number of the row.

    Known where the very batch was traced.
    """
    evidence = report.evidence
    trace = evidence.alignment.collate if evidence.alignment is not None else None
    if trace is None or evidence.row_media is None:
        return {}
    batches: dict[int, list[MediaRow]] = {}
    for row in evidence.row_media.rows:
        batches.setdefault(row.batch, []).append(row)
    found: dict[int, tuple[str, ...]] = {}
    for wrong in trace.misplaced:
        for rows in batches.values():
            if len(rows) != len(wrong.samples) or {row.sample for row in rows} != set(wrong.samples):
                continue
            for row in rows:
                others = {path: held[row.row] for path, held in wrong.sources.items() if row.row < len(held)}
                found[row.number] = tuple(
                    f"`{clean(path, 40)}` comes from sample {clean(str(other), 40)}"
                    for path, other in others.items()
                    if other is not None and other != row.sample
                )
    return found
