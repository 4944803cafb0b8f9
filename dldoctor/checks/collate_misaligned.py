"""DL404 collate-misaligned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.misplaced import misplaced
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.alignment import CollateTrace, Misplaced, ReadTogether, TracedField
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CollateMisaligned(Check):
    """Fields of one batch row come from different samples.

    ## Why it hurts
    Each field looks right by itself, the shapes fit and the loss falls, slowly: the model learns the caption
    of one image beside another one. A collate that sorts, filters or groups one field and not the others is
    the usual cause, and so is one that takes a field from the first sample for all.

    ## What to do
    Choose and order whole samples first, then split them into fields.

    ## When it is wrong
    The samples are collated together and one by one, and each row is compared with what the samples gave
    alone (a collate that takes none alone is tried in two orders), so a field whose rows are computed from the
    whole batch is not judged. Items of `__getitems__` are compared with those of `__getitem__`. Exchanging on purpose
    (negatives, mixed rows) is `info`, where another field has the same content in the right order, where a
    field tells which rows were exchanged, or where rows are blends.
    """

    rule: ClassVar[str] = "DL404"
    name: ClassVar[str] = "collate-misaligned"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the rows that were traced."""
        alignment = case.evidence.alignment
        trace = alignment.collate if alignment is not None else None
        if trace is None:
            yield not_applicable("no collate of samples can be seen in this loader")
            return
        if trace.together is not None and trace.together.wrong:
            yield self._together(case, trace.together)
        elif trace.unjudged:
            yield insufficient(trace.unjudged)
        elif trace.wrong:
            yield self._misaligned(case, trace)
        elif trace.by_order:
            yield self._by_order(case, trace)
        elif (unjudged := self._not_compared(trace)) is not None:
            yield unjudged

    def _together(self, case: Case, seen: ReadTogether) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"`__getitems__` returned {counted(seen.wrong, 'item')} of {seen.items} with a part of another index:"
            f" asked for index {seen.asked} at place {seen.place} of a batch, it gave the `{seen.path}` that"
            f" `__getitem__` gives for index {seen.got}",
            advice="Let `__getitems__` return all parts in the order of the indices that it is given.",
            where=spec.dataset_ref,
            samples=[seen.asked, seen.got],
            items=seen.items,
            wrong=seen.wrong,
            field=seen.path,
            got=str(seen.got),
        )

    def _by_order(self, case: Case, trace: CollateTrace) -> Finding:
        path, against = next(iter(trace.by_order.items()))
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"when the same samples are collated in another order, `{against}` and `{path}` do not follow alike in"
            f" {counted(trace.reordered, 'batch', 'batches')}, so rows of one batch hold fields of different samples",
            advice="Order and filter whole samples in the collate, so that all fields follow.",
            level=Level.INFO if trace.mixed else Level.ERROR,
            where=spec.collate_ref,
            by_order=dict(trace.by_order),
            batches=trace.reordered,
        )

    def _not_compared(self, trace: CollateTrace) -> Unjudged | None:
        """Return why the fields that were compared do not stand for the rows; None where they do."""
        if trace.mixed:
            return insufficient(
                "rows are blends of several samples; which fields of such a row belong together is not judged"
            )
        left = _left_out(trace)
        if left is not None:
            return insufficient(f"`{left.path}` could not be compared with the other fields: {left.unjudged}")
        if trace.rows or trace.reordered:
            return None
        told = sum(1 for one in trace.fields if one.traced)
        if told < 2:
            return not_applicable(
                f"{counted(told, 'field')} of the batches can be traced to samples; it takes two to disagree"
            )
        return insufficient("no batch has two rows in which two fields tell their samples")

    def _misaligned(self, case: Case, trace: CollateTrace) -> Finding:
        first = trace.misplaced[0]
        intended, advice = self._reading(case, trace, first)
        spec = case.evidence.loader
        assert spec is not None
        share = trace.wrong / trace.rows if trace.rows else 1.0
        return self.finding(
            f"{counted(trace.wrong, 'row')} of {trace.rows} ({percent(share)}) hold fields of different samples:"
            f" {misplaced(first)}" + (f"; {intended}" if intended else ""),
            advice=advice,
            level=Level.INFO if intended else Level.ERROR,
            where=spec.collate_ref,
            samples=dict.fromkeys(first.samples),
            rows=trace.rows,
            wrong=trace.wrong,
            batches=trace.batches,
            wrong_batches=trace.wrong_batches,
            first=first.first,
            field=first.path,
            against=first.against,
            sources={
                path: [None if one is None else str(one) for one in found]
                for path, found in first.sources.items()
            },
            lost=[str(one) for one in first.lost],
        )

    def _reading(self, case: Case, trace: CollateTrace, first: Misplaced) -> tuple[str, str]:
        """Return what speaks for a purpose (empty: nothing does), and the advice."""
        mend = (
            f"Order and filter whole samples in the collate, so that `{first.path}` follows the other fields."
        )
        either = f"If the rows should match, let `{first.path}` follow the other fields; if not, leave it so."
        if trace.told_by:
            return f"`{trace.told_by}` tells which rows, so it may be meant", either
        if trace.mixed:
            return "other rows are blends of several samples, so it may be mixing on purpose", either
        twin = trace.twins.get(first.path)
        own = case.role_of(first.path) == "labels" or "label" in first.path.lower()
        if twin and not (own and "label" not in twin.lower()):
            return (
                f"`{twin}` has the same content in the right order, so it may be meant (negatives, mixing)",
                either,
            )
        return "", mend


def _left_out(trace: CollateTrace) -> TracedField | None:
    """Return a field that tells its samples and was left out, where what remains is one part of the data."""
    left = [one for one in trace.fields if one.left_out]
    used = {one.path.split(".")[0] for one in trace.fields if one.traced and not one.unjudged}
    return next((one for one in left if len(used - {one.path.split(".")[0]}) < 2), None)
