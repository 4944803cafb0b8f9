"""DL107 structure-varies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.archives import members_do_not_group
from dldoctor.checks.causes.collate import Trouble, collate_is_theirs, level_of, troubles_of
from dldoctor.checks.phrases import histogram, place, samples_named, tally_facts
from dldoctor.checks.wording import counted
from dldoctor.evidence.batches import DroppedField
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.finding import Finding, Level, SampleId, Unjudged


@dataclass(frozen=True)
class StructureVaries(Check):
    """Samples differ in their keys, in a container or in a type, and the collate cannot take it.

    ## Why it hurts
    PyTorch's `default_collate` takes the keys of the first sample of a batch for the keys of all.
    If a later sample lacks one, it raises a KeyError from inside a worker; if only a later sample
    has one, it drops that field from the batch without a word. Which of the two happens depends on
    the order of the shuffle, so the run fails at a random step.

    ## What to do
    Return the same keys with the same types for every sample, with an empty tensor or a flag where
    there is nothing. Or keep optional fields and give the loader a `collate_fn` that knows them.

    ## When it is wrong
    It only speaks where the collate raised on such a batch, in this run or in a batch that was put
    together for the test. Optional fields that the collate handles are not reported. For a bare
    dataset, whose collate is not known, it is a note: name yours with `--collate FILE:NAME`.
    """

    rule = "DL107"
    name = "structure-varies"
    level = Level.ERROR
    needs = ("samples", "batches")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the mixes of structure that the collate could not take."""
        found = troubles_of(case, "structure")
        if not found or members_do_not_group(case):
            return
        # An optional key shows as a mix of whole samples and again as a mix of its field.
        trouble = next((one for one in found if one.failure is not None), found[0])
        odd = _odd_fields(case, trouble)
        samples = _samples(case, trouble, odd)
        failure = trouble.failure
        yield self.finding(
            f"samples differ in structure: {_difference(case, odd)}; {_consequence(case, trouble, odd)}",
            advice=_advice(case, odd),
            level=level_of(case, trouble),
            where=failure.where if failure else None,
            samples=samples,
            presence=[
                {
                    "field": field.path,
                    "present": field.present,
                    "absent": field.absent.count,
                    "null": field.nulls.count,
                    "containers": {tally.value: tally.count for tally in field.containers},
                    "samples": [str(one) for one in _lacking(field).samples[:5]],
                }
                for field in case.evidence.sample_fields
            ],
            structures=tally_facts(case.evidence.samples.structures if case.evidence.samples else ()),
            error=failure.error if failure else None,
            batches_failed=trouble.failed,
            batches_collated=trouble.collated,
            dropped={one.path: one.batches for one in _dropped(case, odd)},
        )


def _lacking(field: FieldEvidence) -> Offenders:
    return field.absent if field.absent.count else field.nulls


def _odd_fields(case: Case, trouble: Trouble) -> tuple[FieldEvidence, ...]:
    """Return the fields that not all samples have alike, those of the trouble first."""
    named = {trouble.path, trouble.failure.culprit_field if trouble.failure else None} - {"", None}
    odd = [
        field
        for field in case.evidence.sample_fields
        if field.absent.count or field.nulls.count or len(field.containers) > 1
    ]
    chosen = [field for field in odd if field.path in named]
    return tuple(chosen) or tuple(odd)


def _samples(case: Case, trouble: Trouble, odd: tuple[FieldEvidence, ...]) -> tuple[SampleId, ...]:
    failure = trouble.failure
    if failure is not None and failure.culprit is not None:
        return (failure.culprit,)
    for field in odd:
        if _lacking(field).count:
            return _lacking(field).samples
        if len(field.containers) > 1:
            return min(field.containers, key=lambda tally: tally.count).examples
    structures = case.evidence.samples.structures if case.evidence.samples else ()
    return min(structures, key=lambda tally: tally.count).examples if structures else ()


def _difference(case: Case, odd: tuple[FieldEvidence, ...]) -> str:
    parts = []
    for field in odd[:3]:
        total = field.present + field.absent.count
        if field.absent.count:
            who = samples_named(field.absent.samples, field.absent.count)
            parts.append(f"`{field.path}` is in {field.present} of {total} and missing in {who}")
        elif field.nulls.count:
            who = samples_named(field.nulls.samples, field.nulls.count)
            parts.append(f"`{field.path}` is None in {who} of {total}")
        else:
            parts.append(f"`{field.path}` is {histogram(field.containers)}")
    if len(odd) > 3:
        parts.append(f"and {counted(len(odd) - 3, 'further field')}")
    structures = case.evidence.samples.structures if case.evidence.samples else ()
    return ", ".join(parts) or histogram(structures)


def _consequence(case: Case, trouble: Trouble, odd: tuple[FieldEvidence, ...]) -> str:
    whose = "the collate" if collate_is_theirs(case) else "PyTorch's own collate"
    failure = trouble.failure
    if failure is None:
        return f"{whose} refuses a batch that holds both, though no batch of this run did"
    raised = f"{whose} raised {failure.kind}{place(failure.where)}"
    lost = max((one.batches for one in _dropped(case, odd)), default=0)
    silent = f" and dropped it without an error from {counted(lost, 'other')}" if lost else ""
    return f"{raised} on {counted(max(trouble.failed, failure.count), 'batch', 'batches')}{silent}"


def _dropped(case: Case, odd: tuple[FieldEvidence, ...]) -> list[DroppedField]:
    paths = {field.path for field in odd}
    batches = case.evidence.batches
    return [one for one in batches.dropped if one.path in paths] if batches else []


def _advice(case: Case, odd: tuple[FieldEvidence, ...]) -> str:
    if not collate_is_theirs(case):
        return "Name your own collate with `--collate FILE:NAME`."
    name = f"`{odd[0].path}`" if odd else "the same fields"
    return f"Return {name} with one type from every sample, or pass a `collate_fn` that handles its absence."
