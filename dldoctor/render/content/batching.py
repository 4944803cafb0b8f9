"""What batching did to the samples: rows, padding, drops, mixtures."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.evidence.batches import BatchesEvidence, MixedBatches, PaddingEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.content.ids import ids_text
from dldoctor.render.numbers import count, counted, share
from dldoctor.report import Report


def batching_lines(report: Report) -> tuple[str, ...]:
    """Return one sentence a fact."""
    batches = report.evidence.batches
    return tuple(_lines(batches)) if batches else ()


def _lines(batches: BatchesEvidence) -> Iterator[str]:
    if len(batches.sizes) > 1:
        listed = ", ".join(f"{clean(s.value, 20)} in {count(s.count)}" for s in batches.sizes[:4])
        more = len(batches.sizes) - 4
        yield f"rows per batch: {listed}" + (f" and {count(more)} more sizes" if more > 0 else "")
    if batches.padding:
        yield padding_line(batches.padding)
    if batches.failed:
        yield f"the collate function raised on {counted(batches.failed, 'batch', 'batches')}"
    if batches.spoiled:
        yield f"{counted(batches.spoiled, 'batch', 'batches')} not collated, because a sample of it had raised"
    if batches.empty:
        yield f"{counted(batches.empty, 'batch', 'batches')} without a row"
    yield from _dropped(batches)
    if batches.dropped_samples.count:
        who = batches.dropped_samples
        yield f"{counted(who.count, 'sample')} left out by collate: {ids_text(who.samples, who.count, 5)}"
    for mix in batches.mixed:
        # Samples of several shapes that come through are what a collate that pads is for.
        if mix.failed or (mix.collated and mix.what != "shape"):
            yield _mixed(mix)


def _dropped(batches: BatchesEvidence) -> Iterator[str]:
    never = [f"`{clean(gone.path, 80)}`" for gone in batches.dropped if not gone.kept_batches]
    if never:
        more = f" and {count(len(never) - 8)} more" if len(never) > 8 else ""
        verb = "reaches" if len(never) == 1 else "reach"
        yield f"{', '.join(never[:8])}{more} never {verb} the batch"
    for gone in batches.dropped:
        if gone.kept_batches:
            when = f"missing in {counted(gone.batches, 'batch', 'batches')} whose samples had it"
            yield f"`{clean(gone.path, 80)}` {when} (samples {ids_text(gone.samples, show=3)})"


def padding_line(padding: PaddingEvidence) -> str:
    """Return the share of padding, and what grouping or packing would leave of it."""
    return (
        f"{share(padding.share)} of `{clean(padding.path, 80)}` is padding"
        f" (90% interval {share(padding.low)} .. {share(padding.high)}, told by {clean(padding.source, 80)},"
        f" {counted(padding.rows, 'row')}); batching by length would leave"
        f" {share(padding.share_grouped)}, packing {share(padding.share_packed)}"
    )


def _mixed(mix: MixedBatches) -> str:
    what = {"none": "None beside values", "structure": "different structures"}.get(
        mix.what, f"different {mix.what}s"
    )
    where = f" of `{clean(mix.path, 80)}`" if mix.path else ""
    return f"{what}{where} met in one batch: {count(mix.collated)} came through, {count(mix.failed)} raised"
