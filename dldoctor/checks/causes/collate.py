"""Why the collate function cannot take the samples: decided once for all rules that speak of it.

::

    none        a whole sample is None                               DL106
    structure   samples differ in keys, container or type            DL107
    shape       a field that is stacked has several sizes            DL108
    channels    an image field has several channel counts or modes   DL216
    dtype       a field has several dtypes                           DL110 (an exception), else DL109
    other       anything else                                        DL110
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dldoctor.checks.base import Case
from dldoctor.checks.causes.shapes import shape_mix
from dldoctor.evidence.batches import MixedBatches
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.outcome import Failure
from dldoctor.finding import Level

Cause = Literal["none", "structure", "shape", "channels", "dtype", "other"]

STACKED = ("Tensor", "ndarray", "list")
"""Containers that torch's own collate turns into one tensor, or whose lengths it compares."""

PRECEDENCE: tuple[Cause, ...] = ("none", "structure", "channels", "shape", "dtype")
"""Which cause speaks where several would explain one exception: the coarsest difference."""

WORDS: dict[Cause, tuple[str, ...]] = {
    "none": ("NoneType",),
    "structure": ("KeyError", "found <class", "each element in list", "object has no attribute"),
    "shape": ("equal size", "resize storage", "must match", "inhomogeneous", "broadcast", "same shape"),
    "dtype": ("be cast to", "dtype", "scalar type", "data type"),
}
"""What exceptions say about each cause. Words only confirm a mix that was seen; alone they prove nothing."""


@dataclass(frozen=True)
class Trouble:
    """One reason why samples do not make a batch."""

    cause: Cause
    path: str
    """Field; empty for the whole sample."""
    failure: Failure | None = None
    """The exception that the loader met; null where only a batch put together for the test failed."""
    failed: int = 0
    """Batches of the loader on which the collate raised for this reason."""
    collated: int = 0
    """Batches with the same mix that came through."""


def troubles(case: Case) -> tuple[Trouble, ...]:
    """Return every reason for which the collate failed, or refused a batch made for the test."""
    met = [found for failure in _collate_failures(case) for found in _explain(case, failure)]
    known = {(found.cause, found.path) for found in met}
    waiting = [found for found in _refused(case) if (found.cause, found.path) not in known]
    return (*met, *waiting)


def troubles_of(case: Case, cause: Cause) -> tuple[Trouble, ...]:
    """Return the troubles of one cause, one a field, the first exception of each field."""
    found: dict[str, Trouble] = {}
    for trouble in troubles(case):
        if trouble.cause == cause:
            found.setdefault(trouble.path, trouble)
    return tuple(found.values())


def collate_is_theirs(case: Case) -> bool:
    """Tell whether the collate is the user's choice; of a bare dataset it is our stand-in."""
    spec = case.evidence.loader
    return spec is None or spec.given != "dataset" or "collate" in spec.chosen


def level_of(case: Case, trouble: Trouble) -> Level:
    """Return how far the evidence carries: an exception, a batch that will come, or a fact."""
    spec = case.evidence.loader
    if not collate_is_theirs(case):
        return Level.INFO
    if trouble.failure is not None:
        return Level.ERROR
    if spec is None or spec.batch_size in (None, 1):
        return Level.INFO  # batches of one, or batches that a sampler puts together on purpose
    if spec.shuffle:
        return Level.ERROR
    batches = case.evidence.batches
    whole = batches is not None and batches.full_epoch
    return Level.INFO if whole and spec.shuffle is False and spec.kind == "map" else Level.RISK


def _collate_failures(case: Case) -> tuple[Failure, ...]:
    return tuple(failure for failure in case.evidence.failures if failure.stage == "collate")


def _explain(case: Case, failure: Failure) -> Iterator[Trouble]:
    """Yield what explains one kind of exception: the mix that, taken away, lets the batch collate."""
    batches = case.evidence.batches
    mixed = (
        [entry for entry in batches.mixed if entry.failed and entry.mended is not False] if batches else []
    )
    rated = [(_rate(case, failure, entry), entry) for entry in mixed]
    supported = [(rate, entry) for rate, entry in rated if rate > 0]
    if not supported:
        yield Trouble("none" if _none_among(case, failure) else "other", "", failure, failure.count)
        return
    best = max(supported, key=lambda item: (item[0], -PRECEDENCE.index(_cause(item[1]))))[1]
    for cause in _causes(case, best):
        yield Trouble(cause, best.path, failure, best.failed, best.collated)


def _rate(case: Case, failure: Failure, entry: MixedBatches) -> int:
    """Return how strongly a mix is tied to an exception; 0 and below is not at all."""
    text = f"{failure.kind}: {failure.error}"
    cause = _cause(entry)
    said = [other for other, words in WORDS.items() if any(word in text for word in words)]
    rate = 4 if entry.mended else 0
    rate += 2 if entry.path and entry.path == failure.culprit_field else 0
    rate += 2 if cause == "none" and _none_among(case, failure) else 0
    rate += 1 if cause in said or (cause == "channels" and "shape" in said) else 0
    # Batches with the same mix came through: it is not what the exception was about, unless the
    # order of the samples decides (keys of the first sample, dtype of the first sample).
    order_decides = cause in ("structure", "dtype")
    return rate - 2 if entry.collated and not order_decides and not entry.mended else rate


def _none_among(case: Case, failure: Failure) -> bool:
    samples = case.evidence.samples
    if samples is None or not samples.none.count or "NoneType" not in failure.error:
        return False
    return bool(set(samples.none.samples) & {*failure.samples, failure.culprit})


def _refused(case: Case) -> Iterator[Trouble]:
    """Yield mixes that the loader did not meet and that its collate cannot take."""
    batches = case.evidence.batches
    if batches is None or not batches.delivered:
        return
    for entry in batches.mixed:
        if not entry.failed and not entry.collated and _would_refuse(case, entry):
            for cause in _causes(case, entry):
                yield Trouble(cause, entry.path)
    tried = {entry.path for entry in batches.mixed if entry.what in ("shape", "mode", "structure")}
    for field in case.evidence.sample_fields:
        mix = MixedBatches("shape", field.path, 0, 0)
        if field.path not in tried and field.shape_count > 1 and _would_refuse(case, mix):
            for cause in _causes(case, mix):
                yield Trouble(cause, field.path)


def _would_refuse(case: Case, entry: MixedBatches) -> bool:
    if entry.refused is not None:
        return entry.refused
    spec, field = case.evidence.loader, case.evidence.sample_field(entry.path)
    stacks = spec is not None and spec.default_collate and _makes_batches(case)
    return bool(stacks and entry.what == "shape" and field and field.container in STACKED)


def _makes_batches(case: Case) -> bool:
    """Without a batch size and a batch sampler nothing is put together (the dataset yields batches)."""
    spec = case.evidence.loader
    return spec is not None and (spec.batch_size is not None or spec.batch_sampler is not None)


def _cause(entry: MixedBatches) -> Cause:
    """Return the cause of a mix before images are told from other fields."""
    if entry.what == "none":
        return "structure" if entry.path else "none"
    return "channels" if entry.what == "mode" else entry.what


def _causes(case: Case, entry: MixedBatches) -> tuple[Cause, ...]:
    field = case.evidence.sample_field(entry.path)
    cause = _cause(entry)
    if cause != "shape" or field is None:
        return (cause,)
    mix = shape_mix(case, field)
    both: tuple[tuple[Cause, bool], ...] = (("channels", bool(mix.channels)), ("shape", mix.sizes))
    return tuple(name for name, holds in both if holds) or ("shape",)


def field_of(case: Case, trouble: Trouble) -> FieldEvidence | None:
    """Return the sample field that a trouble is about, if it is about one that was seen."""
    return case.evidence.sample_field(trouble.path) if trouble.path else None
