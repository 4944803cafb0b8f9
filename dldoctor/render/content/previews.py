"""The first samples and the batch that they become, as a careful engineer prints them."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.samples import FieldPreview
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import id_text
from dldoctor.render.numbers import counted
from dldoctor.report import Report


@dataclass(frozen=True)
class PreviewRow:
    """One field of one sample (or of the batch)."""

    field: str
    """Path; ``value`` where the sample is itself a leaf."""
    type: str
    """Container and dtype."""
    sample: str
    """Id of the sample; empty for a batch."""
    shape: str
    range: str
    preview: str
    repeated: bool = False
    """The row above has the same field and type."""


def type_text(container: str, dtype: str | None) -> str:
    """Return ``Tensor float32``; a dtype that says nothing new is left out."""
    return clean(container if dtype in (None, "", container) else f"{container} {dtype}", 60)


def sample_rows(report: Report) -> tuple[PreviewRow, ...]:
    """Return the first samples field by field, so that one field can be compared down the rows."""
    samples = report.evidence.samples
    if samples is None:
        return ()
    paths = dict.fromkeys(field.path for sample in samples.first for field in sample.fields)
    rows: list[PreviewRow] = []
    for path in paths:
        for sample in samples.first:
            for field in sample.fields:
                if field.path == path:
                    rows.append(_row(field, id_text(sample.id), rows[-1] if rows else None))
    return tuple(rows)


def own_ids(report: Report) -> str:
    """Return the dataset's own names of the first samples, where it has some."""
    samples = report.evidence.samples
    if samples is None or any(f.path == samples.own_id_field for s in samples.first for f in s.fields):
        return ""  # nothing was read, or the ids stand among the fields
    named = [f"{id_text(s.id)} is {clean(s.own_id, 40)}" for s in samples.first if s.own_id is not None]
    source = f" (from `{clean(samples.own_id_field, 40)}`)" if samples.own_id_field else ""
    return f"own ids{source}: {', '.join(named)}" if named else ""


def batch_rows(report: Report) -> tuple[PreviewRow, ...]:
    """Return the fields of the first batch."""
    batches = report.evidence.batches
    return tuple(_row(field, "", None) for field in batches.first) if batches else ()


def batch_title(report: Report) -> str:
    """Return the type of the batch, and its rows where all batches have the same number."""
    batches = report.evidence.batches
    if batches is None:
        return ""
    parts = [clean(batches.container, 60)]
    if len(batches.sizes) == 1 and batches.sizes[0].value.isdecimal():
        parts.append(counted(int(batches.sizes[0].value), "row"))
    return ", ".join(part for part in parts if part)


def agreement(report: Report) -> tuple[str, ...]:
    """Return the sentences on whether the shapes of the first batch agree."""
    batches = report.evidence.batches
    sentences = (clean(sentence, 400) for sentence in batches.agreement) if batches else ()
    return tuple(sentence for sentence in sentences if sentence.strip())


def _row(field: FieldPreview, sample: str, above: PreviewRow | None) -> PreviewRow:
    path, kind = clean(field.path, 120), type_text(field.container, field.dtype)
    return PreviewRow(
        field=path,
        type=kind,
        sample=sample,
        shape=clean(field.shape or "", 40),
        range=clean(field.range or "", 40),
        preview=clean(field.preview, 60),
        repeated=above is not None and (above.field, above.type) == (path, kind),
    )
