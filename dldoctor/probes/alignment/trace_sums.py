"""Sums up what the rows of several batches were made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.alignment import CollateTrace, Misplaced, TracedField
from dldoctor.probes.alignment.given import Given
from dldoctor.probes.alignment.naming import named
from dldoctor.probes.alignment.repeats import Repeats
from dldoctor.probes.provenance.agreement import MORE_ROWS, Disagreement, Verdict, agree
from dldoctor.probes.provenance.blocks import Blocks
from dldoctor.probes.provenance.columns import Column, columns_of
from dldoctor.probes.provenance.content import Content
from dldoctor.probes.provenance.reordered import FEWEST, first_rows, followed
from dldoctor.probes.provenance.tracing import Traced, traced

EXAMPLES = 5
FIELDS_KEPT = 64

Flags = dict[str, list[tuple[bool, str]]]


class TraceSums:
    """Feed it batches; it remembers numbers and a few examples."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.batches = self._samples = self._rows = self._wrong = self._wrong_batches = 0
        self._fields: dict[str, Counter[str]] = {}
        self._unjudged: dict[str, str] = {}
        self._misplaced: list[Misplaced] = []
        self._twins: dict[str, str] = {}
        self._mixed = False
        self._without = self._alone_failed = self._failed = 0
        self._flags: Flags = {}
        """Small fields: whether a row is wrong, and the value that stands there."""
        self._repeats = Repeats()
        self._firsts: dict[str, Content] | None = None
        self._by_order: dict[str, str] = {}
        self._reordered = 0

    def failed(self, given: Given) -> None:
        """Note a batch that the collate refused."""
        self._failed += 1
        self._samples += len(given.ids)

    def add(self, given: Given, batch: Mapping[str, Any], alone: Sequence[Mapping[str, Any] | None]) -> None:
        """Compare the rows of one batch."""
        number = self.batches + self._failed
        self.batches += 1
        self._samples += len(given.ids)
        self._alone_failed += sum(one is None for one in alone)
        found = columns_of(batch, alone)
        fields = [traced(one) for one in found if isinstance(one, Column)]
        blocks = [one for one in found if isinstance(one, Blocks)]
        verdict = agree(fields, blocks, len(given.ids), given.lacking)
        self._note_fields(fields, blocks, verdict)
        reference = next((one for one in fields if one.path == verdict.reference), None)
        if reference is not None:
            self._repeats.add(number, given, fields, reference)
        self._rows += verdict.rows
        self._without += verdict.without_source
        self._unjudged.update(verdict.unjudged)
        self._mixed = self._mixed or any(one.mixed for one in fields)
        self._note_flags(fields, verdict)
        if verdict.disagreements:
            self._note_wrong(number, given, fields, blocks, verdict)

    def add_reordered(self, batch: Mapping[str, Any], shuffled: Mapping[str, Any] | None, count: int) -> None:
        """Compare a batch with one of the same samples in another order."""
        if shuffled is None or count < FEWEST:
            return
        if self._firsts is not None:
            verdict = followed(batch, shuffled, count, self._firsts)
            self._by_order.update({one.path: verdict.reference or "" for one in verdict.disagreements})
            self._reordered += verdict.rows > 0
        self._firsts = first_rows(batch)

    def _note_fields(self, fields: Sequence[Traced], blocks: Sequence[Blocks], verdict: Verdict) -> None:
        for one in fields:
            count = self._fields.setdefault(one.path, Counter())
            count.update(one.how)
            count.update({"rows": len(one.rows), "traced": one.known, "mixed": one.mixed})
        for block in blocks:
            count = self._fields.setdefault(block.path, Counter())
            kept = len(block.pieces) - len(block.absent)
            fits = block.path not in verdict.unjudged
            count.update({"rows": kept, "traced": kept if fits else 0, "equal": kept if fits else 0})

    def _note_flags(self, fields: Sequence[Traced], verdict: Verdict) -> None:
        """Keep fields that may tell which rows were exchanged on purpose."""
        for one in fields:
            pieces = [part for piece in one.column.pieces for part in piece or () if part is not None]
            scalar = all(part.numbers is not None and part.numbers.numel() == 1 for part in pieces)
            if not scalar or len({float(part.numbers) for part in pieces}) != 1:
                continue
            values = [
                (row in verdict.wrong, _number(part))
                for row, part in enumerate(one.column.rows[: verdict.rows])
            ]
            self._flags.setdefault(one.path, []).extend(values)

    def _note_wrong(
        self, number: int, given: Given, fields: Sequence[Traced], blocks: Sequence[Blocks], verdict: Verdict
    ) -> None:
        self._wrong += len(verdict.wrong)
        self._wrong_batches += 1
        self._twins.update({one.path: one.twin for one in verdict.disagreements if one.twin})
        if len(self._misplaced) < EXAMPLES:
            first = min(verdict.disagreements, key=lambda one: (one.twin is not None, one.rows[0]))
            self._misplaced.append(_example(number, given, fields, blocks, verdict, first))

    def _told_by(self) -> str | None:
        for path, rows in self._flags.items():
            right = {value for wrong, value in rows if not wrong}
            wrong = {value for is_wrong, value in rows if is_wrong}
            if wrong and right and not wrong & right and len(wrong) == 1:
                return path
        return None

    def result(self) -> CollateTrace:
        """Return the sums."""
        repeated = self._repeats.found()
        wrong, batches, examples = self._wrong, self._wrong_batches, self._misplaced
        if repeated and not wrong:
            wrong, batches = sum(one.wrong for one in repeated), len(repeated)
            examples = repeated[:EXAMPLES]
        unjudged = None
        if not self.batches:
            unjudged = "no batch could be collated" if self._failed else "no sample could be read"
        elif (
            self._alone_failed
            and not any(one["traced"] for one in self._fields.values())
            and not self._reordered
        ):
            unjudged = "the collate takes no sample alone, so there is nothing to compare its rows with"
        return CollateTrace(
            batches=self.batches,
            samples=self._samples,
            rows=self._rows,
            wrong=wrong,
            wrong_batches=batches,
            fields=tuple(
                self._field(path, count) for path, count in list(self._fields.items())[:FIELDS_KEPT]
            ),
            misplaced=tuple(examples),
            mixed=self._mixed,
            twins=self._twins,
            told_by=self._told_by(),
            without_source=self._without,
            by_order=self._by_order,
            reordered=self._reordered,
            alone_failed=self._alone_failed,
            unjudged=unjudged,
        )

    def _field(self, path: str, count: Counter[str]) -> TracedField:
        sums = ("rows", "traced", "mixed")
        how = {name: number for name, number in count.items() if name not in sums and number}
        unjudged = self._unjudged.get(path)
        return TracedField(
            path, count["rows"], count["traced"], how, count["mixed"], unjudged, unjudged == MORE_ROWS
        )


def _number(part: Content | None) -> str:
    several = part is None or part.numbers is None or part.numbers.numel() != 1
    return "" if several or part is None else str(part.numbers.item())


def _example(
    number: int, given: Given, fields: Sequence[Traced], blocks: Sequence[Blocks], verdict: Verdict,
    first: Disagreement,
) -> Misplaced:  # fmt: skip
    concerned = {one.path for one in verdict.disagreements} | {verdict.reference}
    sources = {one.path: named(one.rows, given.ids) for one in fields if one.path in concerned}
    sources |= {
        one.path: named(order, given.ids)
        for one in blocks
        if one.path in concerned and (order := one.order()) is not None
    }
    return Misplaced(
        batch=number,
        samples=given.ids,
        first=first.rows[0],
        wrong=len(verdict.wrong),
        rows=verdict.rows,
        path=first.path,
        against=verdict.reference or "",
        sources=sources,
        lost=tuple(given.ids[one] for one in sorted(first.lost)),
    )
