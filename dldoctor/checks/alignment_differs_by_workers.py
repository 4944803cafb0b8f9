"""DL411 alignment-differs-by-workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.misplaced import misplaced
from dldoctor.checks.causes.shared_state import suspects
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.alignment import ApartItem, CollateTrace, WorkerPairs
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class AlignmentDiffersByWorkers(Check):
    """Parts of one item belong together without workers, and not with several.

    ## Why it hurts
    Image and text of a row are read from files, archives or iterators that the workers share, or of which
    each has its own. One part comes from the right place and the other from where another worker has moved
    it. Every value is a real one, so nothing fails, and no run without workers shows it.

    ## What to do
    Open files and archives in the worker, on first use, and find each part by the index alone.

    ## When it is wrong
    Random numbers are set alike for each item, and fields that differ between two runs without workers are
    left out. A collate of your own is traced in a worker too, as it is without workers. Pauses are put into `seek` of shared files, so that a race shows that a fast disk hides. Parts
    that several items have in common cannot tell which item they came from.
    """

    rule: ClassVar[str] = "DL411"
    name: ClassVar[str] = "alignment-differs-by-workers"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that came apart."""
        alignment = case.evidence.alignment
        traced = alignment.in_worker if alignment is not None else None
        if traced is not None and traced.wrong and not traced.mixed:
            yield self._collated(case, traced)
        measured = alignment.workers if alignment is not None else None
        if measured is None and alignment is not None and alignment.unfinished:
            yield insufficient("the time was spent before this was asked; `--time-budget` gives more")
        elif measured is None:
            yield not_applicable("items have no single index by which they could be compared")
        elif measured.failed:
            yield insufficient(f"workers could not be run: {measured.failed}")
        elif len(measured.fields) < 2:
            yield not_applicable("it takes two fields that tell items from each other")
        elif measured.apart:
            yield self._apart(case, measured)

    def _collated(self, case: Case, traced: CollateTrace) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        first = traced.misplaced[0]
        return self.finding(
            f"where the collate runs in a worker, {counted(traced.wrong, 'row')} of {traced.rows}"
            f" ({percent(traced.wrong / traced.rows if traced.rows else 1.0)}) hold fields of different samples, and"
            f" none without workers: {misplaced(first)}",
            advice="Make each row in the collate from its own sample alone, whatever worker runs it.",
            level=Level.ERROR if spec.num_workers else Level.INFO,
            where=spec.collate_ref,
            samples=dict.fromkeys(first.samples),
            rows=traced.rows,
            wrong=traced.wrong,
            field=first.path,
            against=first.against,
        )

    def _apart(self, case: Case, measured: WorkerPairs) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        shared = suspects(case.evidence)
        pauses = (
            f", with pauses put into {listed([f'`{path}`' for path in measured.provoked])}"
            if measured.provoked
            else ""
        )
        why = f"; the workers share {listed([f'`{one.path}`' for one in shared], shown=3)}" if shared else ""
        return self.finding(
            f"{counted(measured.apart, 'item')} of {measured.items} ({percent(measured.apart / measured.items)}) have"
            f" parts of different items when {measured.workers} workers read{pauses}, and not without workers:"
            f" {_said(measured.examples[0])}{why}",
            advice="Open files and iterators in the worker, on first use, and find each part by the index alone.",
            level=Level.ERROR if spec.num_workers else Level.INFO,
            where=spec.dataset_ref,
            samples=[one.index for one in measured.examples],
            items=measured.items,
            apart=measured.apart,
            workers=measured.workers,
            examples=[
                {"index": one.index, "worker": one.worker, "parts": one.parts}
                for one in measured.examples[:5]
            ],
            provoked=list(measured.provoked),
        )


def _said(one: ApartItem) -> str:
    others = [(path, index) for path, index in one.parts.items() if index not in (None, one.index)]
    if not others:
        return f"index {one.index} of worker {one.worker}"
    path, index = others[0]
    return f"index {one.index} of worker {one.worker} has `{path}` of index {index}"
