"""DL312 padding-waste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.outliers import far_above
from dldoctor.checks.causes.shapes import axes
from dldoctor.checks.wording import percent
from dldoctor.evidence.batches import PaddingEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PaddingWaste(Check):
    """Too many positions of the token batches are padding.

    ## Why it hurts
    The model computes every position, padding too: at 50% padding half of the time and of the
    memory for activations goes into nothing.

    ## What to do
    Pad to the longest row of the batch, not to a fixed length. Put samples of similar length
    together: a batch sampler that sorts chunks by length, or the Hugging Face Trainer's
    `train_sampling_strategy="group_by_length"` (`group_by_length=True` before version 5). Or pack
    several texts into one row, with position ids and an attention mask that keep them apart.

    ## When it is wrong
    Evaluation of a few batches, models compiled for one fixed length, and accelerators that
    recompile for each new shape can be better off with padding. What grouping and packing would
    save is computed from the lengths of this run.
    """

    rule = "DL312"
    name = "padding-waste"
    level = Level.WARNING
    needs = ("batches",)

    max_share: float = 0.3
    """Share of padding that may be."""
    min_saving: float = 0.1
    """Grouping or packing must take so much off that share; else it is a note."""
    outlier_times: float = 4.0
    """A row so many times above the 99th percentile of the others pads its batch by itself; where
    grouping does not help against it, `DL215` speaks and this rule is a note."""
    min_rows: int = 32
    """Rows below which the share is not judged."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the share of padding with what grouping and packing leave."""
        spec, batches = case.evidence.loader, case.evidence.batches
        padding = batches.padding if batches else None
        if padding is None:
            yield not_applicable("no padded token field was found")
            return
        if spec is not None and not spec.settings_known:
            yield not_applicable(
                "padding depends on the batch size, and none was given with the bare dataset"
            )
            return
        if padding.rows < self.min_rows:
            yield insufficient(f"{padding.rows} rows read, at least {self.min_rows} are needed")
            return
        if padding.share <= self.max_share:
            return
        fixed = self._fixed_width(case, padding)
        saving = padding.share - min(padding.share_grouped, padding.share_packed)
        # One row far above the rest pads its whole batch: that is told as an outlier, not here.
        outlier = fixed is None and padding.share - padding.share_grouped < self.min_saving
        outlier = outlier and far_above(padding.lengths, self.outlier_times) is not None
        worth = saving >= self.min_saving and not outlier
        width = (
            f"; every row is padded to {fixed}, the longest has {padding.lengths.max:.0f}" if fixed else ""
        )
        yield self.finding(
            f"{percent(padding.share)} of the positions in `{padding.path}` are padding; grouping by length "
            f"would leave {percent(padding.share_grouped)}, packing {percent(padding.share_packed)}{width}",
            advice=self._advice(case, padding, fixed, worth, outlier),
            level=self.level if worth else Level.INFO,
            where=spec.collate_ref if spec else None,
            samples=tuple(one.id for one in padding.lengths.largest),
            field=padding.path,
            source=padding.source,
            share=padding.share,
            low=padding.low,
            high=padding.high,
            share_grouped=padding.share_grouped,
            share_packed=padding.share_packed,
            rows=padding.rows,
            fixed_width=fixed,
            length_p50=padding.lengths.p50,
            length_max=padding.lengths.max,
        )

    def _fixed_width(self, case: Case, padding: PaddingEvidence) -> int | None:
        """Return the one width of all batches, where it exceeds every row or is that of each sample already."""
        field = case.evidence.batch_field(padding.path)
        widths = {
            found[-1]
            for tally in (field.shapes if field else ())
            if (found := axes(tally.value)) is not None and len(found) > 1
        }
        several = case.evidence.batches is not None and case.evidence.batches.delivered > 1
        width = widths.pop() if len(widths) == 1 and several else None
        if width is None:
            return None
        own = case.evidence.sample_field(padding.path)
        padded_before = own is not None and own.shape_count == 1 and axes(own.shapes[0].value) == (width,)
        return width if width > padding.lengths.max or padded_before else None

    def _advice(
        self, case: Case, padding: PaddingEvidence, fixed: int | None, worth: bool, outlier: bool
    ) -> str:
        spec = case.evidence.loader
        if outlier:
            return f"Cut or split the longest rows, of up to {padding.lengths.max:.0f} tokens, first."
        if not worth:
            return "Leave it; neither grouping nor packing gains much."
        if fixed is not None:
            return 'Pad in the collate, to the longest row of each batch (`padding="longest"`), not to a fixed length.'
        if padding.share - padding.share_grouped >= self.min_saving:
            if spec is not None and spec.kind == "iterable":
                return "Sort a buffer of samples by length in the stream before they are batched."
            return "Pass a `batch_sampler` that groups by length (`group_by_length` in the Hugging Face Trainer)."
        return "Pack several texts into one row (`packing=True` where the trainer has it)."
