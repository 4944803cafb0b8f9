"""Which batch field a sample field became, and what is known of a field at either end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dldoctor.checks.base import Case
from dldoctor.evidence.fields import FieldEvidence, Offenders


def origins(case: Case, field: FieldEvidence) -> tuple[FieldEvidence, ...]:
    """Return the sample fields that a batch field was made of, as far as that is known."""
    return tuple(one for one in case.evidence.sample_fields if field in destinations(case, one))


def destinations(case: Case, field: FieldEvidence) -> tuple[FieldEvidence, ...]:
    """Return the batch fields that a sample field became; a list of values becomes one a position."""
    path = field.path if field.reaches is None else field.reaches
    return tuple(
        one for one in case.evidence.batch_fields if one.path == path or one.path.startswith(f"{path}.")
    )


def role(case: Case, field: FieldEvidence, at_least: float = 0.7) -> str | None:
    """Return the role of a field by its own path, or by the batch field that it became."""
    own = case.role_of(field.path, at_least)
    if own is None and field.reaches is not None:
        return case.role_of(field.reaches, at_least)
    return own


def dropped_always(case: Case, field: FieldEvidence) -> bool:
    """Tell whether the collate leaves the field out of every batch, which is a choice."""
    batches = case.evidence.batches
    dropped = batches.dropped if batches else ()
    return any(one.path == field.path and not one.kept_batches for one in dropped)


def grouped(
    fields: Sequence[FieldEvidence], of: Callable[[FieldEvidence], Offenders]
) -> tuple[tuple[FieldEvidence, ...], ...]:
    """Return the fields in groups that share their offending samples: one cause, one finding."""
    groups: dict[Offenders, list[FieldEvidence]] = {}
    for field in fields:
        groups.setdefault(of(field), []).append(field)
    return tuple(tuple(group) for group in groups.values())


def names(fields: Sequence[FieldEvidence]) -> str:
    """Return the paths for a message, each in backquotes."""
    quoted = [f"`{field.path}`" for field in fields]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
