"""DL201 non-finite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.lineage import destinations, dropped_always, grouped, names, origins, role
from dldoctor.checks.phrases import samples_named
from dldoctor.checks.wording import counted
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Finding, Level, SampleId, Unjudged

MEASURED = frozenset({"pixel_values", "audio", "video", "boxes", "keypoints", "class_label", "timestamps"})
"""Roles of measured values, for which minus infinity beside zeros is no mask (the logarithm of a
black and white image looks the same)."""


@dataclass(frozen=True)
class NonFinite(Check):
    """A field holds NaN or infinity.

    ## Why it hurts
    One NaN in an input makes the loss of its whole batch NaN, and the first optimiser step after
    that makes the weights NaN. The run goes on and learns nothing more. Infinity does the same as
    soon as it meets a subtraction or a multiplication by zero.

    ## What to do
    Read one of the samples alone and follow the field back to the step that divides by zero
    (normalising a silent clip or an image of one colour divides by a spread of 0), takes the
    logarithm of 0, or reads a missing value. Add a small constant to the divisor, or leave the
    sample out.

    ## When it is wrong
    Minus infinity beside zeros is how an additive attention mask is written and is not reported.
    Fields that the collate leaves out of every batch, or whose values it replaces by finite ones,
    are a note. If NaN marks a missing target that your loss skips, ignore this rule for that loader.
    """

    rule = "DL201"
    name = "non-finite"
    level = Level.ERROR

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the samples first, then what only the collate made."""
        floats = [field for field in case.evidence.fields if _floating(field)]
        if not floats:
            yield not_applicable("no field holds floating-point numbers")
            return
        if not any(field.checked for field in floats):
            yield insufficient("the values of no floating-point field were looked at")
            return
        bad = [field for field in floats if field.nonfinite.count and not _additive_mask(case, field)]
        in_samples = [field for field in bad if field.stage == "sample"]
        for group in grouped(in_samples, lambda field: field.nonfinite):
            yield self._of_samples(case, group)
        made = [
            field for field in bad if field.stage == "batch" and _made_by_collate(case, field, in_samples)
        ]
        for group in grouped(made, lambda field: field.nonfinite):
            yield self._of_batches(case, group)

    def _of_samples(self, case: Case, group: Sequence[FieldEvidence]) -> Finding:
        first, spec = group[0], case.evidence.loader
        harmless = [_harmless(case, field) for field in group]
        who = samples_named(first.nonfinite.samples, first.nonfinite.count)
        end = f"; {harmless[0]}" if all(harmless) else ""
        verb = "holds" if len(group) == 1 else "hold"
        return self.finding(
            f"{names(group)} {verb} {_values(group)} in {first.nonfinite.count} of "
            f"{counted(first.checked, 'sample')}: {who}{end}",
            advice=f"Read {samples_named(first.nonfinite.samples[:1])} alone and follow `{first.path}` back to "
            "the step that divides by zero or reads a missing value.",
            level=Level.INFO if all(harmless) else self.level,
            where=spec.dataset_ref if spec else None,
            samples=first.nonfinite.samples,
            **_facts(group),
        )

    def _of_batches(self, case: Case, group: Sequence[FieldEvidence]) -> Finding:
        first, spec = group[0], case.evidence.loader
        known = any(origins(case, field) for field in group)
        # A sample of one value has a spread of 0: normalising it in the collate is the usual cause.
        flat: tuple[SampleId, ...] = tuple(
            one for field in group for origin in origins(case, field) for one in origin.constant.samples
        )
        source = "; the samples hold finite values only" if known else ""
        cause = f"; {samples_named(flat)} of one single value may be the cause" if flat else ""
        verb = "holds" if len(group) == 1 else "hold"
        return self.finding(
            f"{names(group)} {verb} {_values(group)} in {first.nonfinite.count} of "
            f"{counted(first.checked, 'batch', 'batches')}{source}{cause}",
            advice="Guard the division or the logarithm in the collate function with a small constant."
            if known
            else f"Follow `{first.path}` back to the step that divides by zero or reads a missing value.",
            where=spec.collate_ref if spec and known else None,
            samples=flat,
            batches=[str(one) for one in first.nonfinite.samples],
            **_facts(group),
        )


def _floating(field: FieldEvidence) -> bool:
    dtype = field.dtype or ""
    return dtype.startswith(("float", "bfloat")) or field.container == "float" or bool(field.nonfinite.count)


def _additive_mask(case: Case, field: FieldEvidence) -> bool:
    found = role(case, field)
    if field.nan_count or found in MEASURED:
        return False
    # Without one finite value there is nothing that the mask would let through.
    return found == "attention_mask" or (field.negative_inf_only and field.max is not None)


def _made_by_collate(case: Case, field: FieldEvidence, in_samples: Sequence[FieldEvidence]) -> bool:
    """Tell what the collate made from what it passed on, so that nothing is said twice."""
    sources = origins(case, field)
    if sources:
        return not any(one in in_samples for one in sources)
    return not in_samples


def _harmless(case: Case, field: FieldEvidence) -> str:
    """Return why the values do no harm, or an empty string."""
    if dropped_always(case, field):
        return "the collate leaves it out of every batch"
    batches, spec = case.evidence.batches, case.evidence.loader
    reached = destinations(case, field)
    if batches is None or not reached or batches.failed or batches.spoiled:
        return ""
    finite = all(one.checked == one.present > 0 and not one.nonfinite.count for one in reached)
    # Samples in flight when a run is cut short were read and never came out in a batch.
    came_out = batches.full_epoch or (spec and spec.num_workers == 0) or field.nonfinite.count >= 3
    return "the batches hold finite values in its place" if finite and came_out else ""


def _values(group: Sequence[FieldEvidence]) -> str:
    nan, inf = sum(field.nan_count for field in group), sum(field.inf_count for field in group)
    parts = [f"{number} {name}" for number, name in ((nan, "NaN"), (inf, "Inf")) if number]
    return (
        f"{' and '.join(parts)} value{'' if nan + inf == 1 else 's'}"
        if parts
        else "values that are not finite"
    )


def _facts(group: Sequence[FieldEvidence]) -> dict[str, Any]:
    first = group[0]
    return {
        "stage": first.stage,
        "fields": [field.path for field in group],
        "nan": sum(field.nan_count for field in group),
        "inf": sum(field.inf_count for field in group),
        "count": first.nonfinite.count,
        "checked": first.checked,
        "share": first.nonfinite.count / max(1, first.checked),
        "finite_min": first.min,
        "finite_max": first.max,
    }
