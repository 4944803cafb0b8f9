"""DL215 outlier-size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.lineage import role
from dldoctor.checks.causes.outliers import Outliers, above_half, far_above, share_above
from dldoctor.checks.phrases import samples_named, size
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.distribution import Distribution
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Finding, Level, Unjudged

SIZED = frozenset({"token_ids", "labels", "text", "audio", "video", None})
"""Roles of sequences that the memory of a batch follows."""


@dataclass(frozen=True)
class _Quantity:
    """One size that differs from sample to sample."""

    name: str
    unit: str
    spread: Distribution
    floor: int
    """Sizes below this never matter."""
    field: FieldEvidence | None = None


@dataclass(frozen=True)
class OutlierSize(Check):
    """A few very long texts or very large images set the memory peak.

    ## Why it hurts
    A batch is padded to its longest row, and a model's memory follows the largest batch. One text
    ten times as long as the rest makes one batch ten times as large: the run fits for hours and
    then dies out of memory at the step at which the shuffle brings it up. The batch size has to be
    chosen for that one sample.

    ## What to do
    Cut, split or leave out what is above the limit that is named, or resize large images where
    they are opened. Batching by a budget of tokens instead of a number of rows keeps the peak flat.

    ## When it is wrong
    If the model itself cuts or resizes what the loader delivers, or every length is needed and the
    memory is there. A few long items that the collate cuts before they reach the batch are a note.
    """

    rule = "DL215"
    name = "outlier-size"
    level = Level.WARNING
    needs = ("samples",)

    item_times: float = 4.0
    """An item above so many times the 99th percentile of the others is an outlier."""
    batch_times: float = 2.0
    """A batch above so many times the median batch in bytes is one, if few items cause it."""
    few_share: float = 0.05
    """So many of the items, at most, count as few."""
    min_samples: int = 32
    """Samples below which there is no telling what is usual."""
    min_length: int = 128
    """A text or sequence shorter than this (characters, tokens, elements) is never an outlier."""
    min_bytes: int = 16_384
    """A sample smaller than this is never an outlier in bytes."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the lengths of each field, then the bytes of whole samples."""
        quantities = tuple(self._quantities(case))
        if not quantities:
            yield not_applicable("no field differs in length and no sample in bytes")
            return
        enough = [one for one in quantities if one.spread.count >= self.min_samples]
        if not enough:
            seen = max(one.spread.count for one in quantities)
            yield insufficient(f"{counted(seen, 'sample')} read, at least {self.min_samples} are needed")
            return
        told: set[object] = set()
        for one in enough:
            found = far_above(one.spread, self.item_times)
            # Ids, mask and labels of one long row, and its bytes, are one outlier.
            if found and found.found[0].value >= one.floor and found.found[0].id not in told:
                told.update(extreme.id for extreme in found.found)
                yield self._report(case, one, found)
        if not told:
            yield from self._of_batches(case, enough)

    def _quantities(self, case: Case) -> Iterator[_Quantity]:
        fields = [field for field in case.evidence.sample_fields if field.lengths]
        order = ("token_ids", "labels", "text")
        ranked = sorted(fields, key=lambda f: order.index(r) if (r := role(case, f)) in order else len(order))
        for field in ranked:
            assert field.lengths is not None
            if role(case, field) in SIZED and field.lengths.max > field.lengths.min:
                yield _Quantity(f"`{field.path}`", _unit(case, field), field.lengths, self.min_length, field)
        batches, samples = case.evidence.batches, case.evidence.samples
        if batches and batches.padding:
            padding = batches.padding
            yield _Quantity(f"`{padding.path}`", "tokens", padding.lengths, self.min_length)
        if samples and samples.bytes and samples.bytes.max > samples.bytes.min:
            yield _Quantity("a whole sample", "bytes", samples.bytes, self.min_bytes)

    def _of_batches(self, case: Case, quantities: list[_Quantity]) -> Iterator[Finding]:
        """Yield the quantity whose few largest items make a batch far larger than the median."""
        spec, batches = case.evidence.loader, case.evidence.batches
        spread = batches.bytes if batches else None
        if spec is None or not spec.settings_known or spread is None:
            return
        if spec.batch_size is None:
            return  # who makes up the batches has put the long ones together, or has a budget for each
        if spread.p50 <= 0 or spread.max <= self.batch_times * spread.p50:
            return
        suspects = [
            (one.spread.max / one.spread.p50, one)
            for one in quantities
            if one.spread.p50 > 0
            and one.spread.max >= one.floor
            and one.spread.max > self.batch_times * one.spread.p50
            and share_above(one.spread, one.spread.max / 2) <= self.few_share
        ]
        if suspects:
            one = max(suspects, key=lambda item: item[0])[1]
            yield self._report(case, one, above_half(one.spread))

    def _report(self, case: Case, one: _Quantity, found: Outliers) -> Finding:
        spec, batches = case.evidence.loader, case.evidence.batches
        bytes_ = batches.bytes if batches and not batches.failed else None
        flat = bytes_ is not None and bytes_.count > 1 and bytes_.max <= 1.1 * bytes_.p50
        top = found.found[0]
        ids = tuple(extreme.id for extreme in found.found)
        share = max(found.count / one.spread.count, share_above(one.spread, found.reference))
        peak = ""
        if bytes_ is not None and bytes_.count > 1:
            peak = (
                f"; the largest batch takes {size(int(bytes_.max))}, the median one {size(int(bytes_.p50))}"
            )
        cap = _amount(found.reference, one.unit)
        return self.finding(
            f"{one.name} is up to {_amount(top.value, one.unit)} ({samples_named(ids, found.count)}), while half of "
            f"{counted(one.spread.count, 'sample')} have at most {_amount(one.spread.p50, one.unit)} and nearly "
            f"all at most {cap}{peak}",
            advice=f"{_cut(one)} above {cap}: that touches {percent(share)} of the samples.",
            level=Level.INFO if flat else self.level,
            where=spec.dataset_ref if spec else None,
            samples=ids,
            field=one.field.path if one.field else None,
            unit=one.unit,
            largest=[{"sample": str(extreme.id), "value": extreme.value} for extreme in found.found],
            shape=_shape_of(case, found),
            p50=one.spread.p50,
            p99=one.spread.p99,
            p99_of_others=found.reference,
            share=share,
            predicted_peak_batch_bytes=int(bytes_.max) if bytes_ else None,
            median_batch_bytes=int(bytes_.p50) if bytes_ else None,
        )


def _unit(case: Case, field: FieldEvidence) -> str:
    if role(case, field) in ("token_ids", "labels"):
        return "tokens"
    return {"str": "characters", "bytes": "bytes"}.get(field.container, "elements")


def _amount(value: float, unit: str) -> str:
    return size(round(value)) if unit == "bytes" else f"{round(value):,} {unit}"


def _cut(one: _Quantity) -> str:
    return (
        "Cut or split texts" if one.unit in ("tokens", "characters") else "Resize, cut or leave out what is"
    )


def _shape_of(case: Case, found: Outliers) -> str | None:
    """Return the shape of the largest sample, where it is among the examples."""
    for field in case.evidence.sample_fields:
        for tally in field.shapes:
            if "x" in tally.value and found.found[0].id in tally.examples and field.shape_count > 1:
                return f"{field.path}: {tally.value}"
    return None
