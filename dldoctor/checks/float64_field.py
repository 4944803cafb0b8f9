"""DL214 float64-field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.lineage import destinations, names, origins, role
from dldoctor.checks.causes.shapes import axes
from dldoctor.checks.phrases import size
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Finding, Level, Unjudged

DOUBLE_ON_PURPOSE = frozenset({"timestamps", "boxes", "keypoints", "meta", "sample_id", "group"})
"""Roles of small numbers that need the precision, or that no network sees."""


@dataclass(frozen=True)
class Float64Field(Check):
    """Double-precision floats reach the batch.

    ## Why it hurts
    PyTorch's weights are float32, so the first layer raises ("mat1 and mat2 must have the same
    dtype"), or the batch is cast after twice the bytes were collated, sent between processes and
    copied to the device. A model turned to double to make the error go away is far slower on
    most GPUs.

    ## What to do
    Cast where the array is made, `array.astype(np.float32)` or `torch.tensor(x, dtype=torch.float32)`.
    NumPy makes float64 by default, dividing an integer array included, and `default_collate`
    turns Python floats into float64.

    ## When it is wrong
    Some work needs doubles: long timestamps, coordinates, scientific simulation with double
    weights. A few numbers per sample, and timestamps or boxes, are only noted.
    """

    rule = "DL214"
    name = "float64-field"
    level = Level.WARNING
    needs = ("batches",)

    scalars: int = 4
    """So many numbers per sample (a label, a time, a box) are only noted."""
    min_bytes: int = 256
    """A field that float32 would shrink by fewer bytes per batch is only noted."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the fields of the batches, those that cost bytes apart from the tiny ones."""
        if not case.evidence.batch_fields:
            yield insufficient("no batch was delivered")
            return
        doubles = [field for field in case.evidence.batch_fields if _double(field)]
        heavy = [field for field in doubles if self._costs(case, field, doubles)]
        light = [field for field in doubles if field not in heavy]
        for fields, level in ((heavy, self.level), (light, Level.INFO)):
            if fields:
                yield self._report(case, fields, level)

    def _costs(self, case: Case, field: FieldEvidence, doubles: Sequence[FieldEvidence]) -> bool:
        if role(case, field, 0.4) in DOUBLE_ON_PURPOSE:
            return False
        # A list of floats becomes one tensor a position: count them together.
        family = [one for one in doubles if _source(case, one) == _source(case, field)]
        numbers = sum(_per_sample(case, one) for one in family)
        return numbers > self.scalars and sum(one.nbytes for one in family) // 2 >= self.min_bytes

    def _report(self, case: Case, fields: Sequence[FieldEvidence], level: Level) -> Finding:
        spec = case.evidence.loader
        saved = sum(field.nbytes for field in fields) // 2
        shown = names(fields[:3]) + (f" and {len(fields) - 3} more" if len(fields) > 3 else "")
        first = _origin(case, fields[0])
        came = f", from {first}" if first else ""
        verb = "reaches" if len(fields) == 1 else "reach"
        return self.finding(
            f"{shown} {verb} the batch as float64{came}; float32 would save {size(saved)} per batch",
            advice=f"Cast `{_source(case, fields[0])}` to float32 where it is made.",
            level=level,
            where=spec.dataset_ref if spec else None,
            fields=[
                {"field": field.path, "origin": _origin(case, field), "batch_bytes": field.nbytes}
                for field in fields
            ],
            saved_bytes=saved,
        )


def _double(field: FieldEvidence) -> bool:
    # Python floats kept in a list are no double-precision tensor.
    return field.dtype == "float64" and (field.transfer != "object" or field.container == "ndarray")


def _source(case: Case, field: FieldEvidence) -> str:
    found = origins(case, field)
    return found[0].path if found else field.path


def _per_sample(case: Case, field: FieldEvidence) -> float:
    """Return how many numbers one sample has in a batch field."""
    shapes = [found for tally in field.shapes if (found := axes(tally.value)) is not None]
    if not shapes:
        return 0
    rest = 1
    for length in shapes[0][1:]:
        rest *= length
    # Without a batch axis of its own (all rows joined) the sample tells.
    whole = [one for one in origins(case, field) if one.float64 and len(destinations(case, one)) == 1]
    return max(rest, *(one.nbytes / 8 for one in whole)) if whole else rest


def _origin(case: Case, field: FieldEvidence) -> str:
    found = origins(case, field)
    if not found:
        return ""
    one = found[0]
    if one.container == "float" or one.dtype == "float":
        return "Python floats"
    if one.dtype == "float64":
        kind = "a NumPy array" if one.container in ("ndarray", "scalar") else "a tensor"
        return f"{kind} of float64 in the sample"
    return f"the collate ({one.dtype or one.container} in the sample)"
