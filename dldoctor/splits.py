"""From the reports of two loaders to what is held against each other."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.splits import PixelField, Scale, Side, SplitsEvidence, TokenField
from dldoctor.report import Report

SURE = 0.7
"""Confidence from which on a field is taken for pixels."""
_LAID_OUT = ("declared", "tokenizer")
"""How an id must be known to be held against another; what was told from values may be a chance."""


def splits_of(first: Report, second: Report, roles: tuple[str, str]) -> SplitsEvidence:
    """Return both sides."""
    found = first.evidence.overlap
    why = first.evidence.missing.get("overlap", "") if found is None else ""
    return SplitsEvidence(_side(first, roles[0]), _side(second, roles[1]), found, why)


def _side(report: Report, role: str) -> Side:
    evidence = report.evidence
    spec, maps = evidence.loader, evidence.class_maps
    return Side(
        target=report.whole_target,
        role=role,
        items=(spec.sampler_length or spec.dataset_length) if spec else None,
        batch_size=spec.batch_size if spec else None,
        shuffle=spec.shuffle if spec else None,
        drop_last=bool(spec and spec.drop_last),
        settings_known=bool(spec and spec.settings_known),
        pixels=tuple(_pixels(report)),
        tokens=tuple(_tokens(report)),
        classes=maps.maps if maps is not None else (),
        dataset_ref=spec.dataset_ref if spec else None,
        collate_ref=spec.collate_ref if spec else None,
    )


def _pixels(report: Report) -> Iterator[PixelField]:
    samples = report.evidence.samples
    for one in report.evidence.batch_fields:
        known = report.inferred.get(one.path)
        if known is None or known.role != "pixel_values" or known.confidence < SURE or one.min is None:
            continue
        looked = round((samples.read if samples else 0) * (one.checked / one.present if one.present else 0))
        twice = _is_normalised_twice(report, one.path)
        scale: Scale = "normalised-twice" if twice else scale_of(one)
        yield PixelField(one.path, scale, one.min, one.max or 0.0, _shape(one), samples=looked)


def _is_normalised_twice(report: Report, path: str) -> bool:
    samples = report.evidence.samples
    return any(
        one.kind == "normalised-twice" and one.path == path for one in (samples.ranges if samples else ())
    )


def scale_of(one: FieldEvidence) -> Scale:
    """Return what the values of pixels are, by their ends."""
    low, high = one.min or 0.0, one.max or 0.0
    if low < 0:
        return "centred" if low >= -16 and high <= 16 else "other"
    if high <= 1:
        return "unit"
    return "bytes" if high <= 255 and high > 16 else "other"


def _shape(one: FieldEvidence) -> str | None:
    """Return the shape of a row, where it is the same in all batches."""
    rows = {tally.value.partition("x")[2] for tally in one.shapes}
    return rows.pop() if len(rows) == 1 and one.shape_count == len(one.shapes) else None


def _tokens(report: Report) -> Iterator[TokenField]:
    labels = report.evidence.labels
    if labels is None:
        return
    words = labels.vocabulary
    for number, group in enumerate(labels.groups):
        rows = [row for row in labels.rows if row.group == number and row.real]
        if not rows or not group.certain:
            continue
        left, right = any(row.left for row in rows), any(row.right for row in rows)
        told = labels.limit_from not in ("", "rows")
        yield TokenField(
            path=group.tokens,
            tokenizer=words.tokenizer,
            vocabulary=words.size,
            pad=words.pad if words.sources.get("pad") in _LAID_OUT else None,
            eos=words.eos if words.sources.get("eos") in _LAID_OUT else None,
            limit=labels.limit if told else None,
            padded="both" if left and right else "left" if left else "right" if right else "none",
            longest=max(row.real for row in rows),
        )
