"""DL403 placeholder-run-mismatch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.placeholders import (
    Kind,
    kinds_of,
    named,
    placeholders_of,
    samples_of,
    sure,
    where_made,
    why_not,
    wrong_rows,
)  # fmt: skip
from dldoctor.checks.wording import counted
from dldoctor.evidence.placeholders import PlaceholderRow, PlaceholdersEvidence
from dldoctor.finding import Finding, Level, Unjudged

SHOWN = 6
"""Slots of the example that the message lists."""


@dataclass(frozen=True)
class PlaceholderRunMismatch(Check):
    """A run of placeholders is not as long as the features of its image.

    ## Why it hurts
    The features are put where the placeholders stand, one after the other. Where a run is too short or too
    long the model stops with "tokens and features do not match"; where only the totals agree, the features
    of one image are put in the place of another, and nothing stops.

    ## What to do
    Make each run from the image that stands there (its grid, its tiles), in the order of the images. The
    finding gives the runs beside the features, slot by slot.

    ## When it is wrong
    The placeholder and the rule are told by the token types, the tokenizer or the values of the batches; if
    they are others, declare `--image-token-id` and `--merge-size`. Images of one colour, and those that a flag
    turns off, may go without placeholders. What no rule explains is not judged.
    """

    rule: ClassVar[str] = "DL403"
    name: ClassVar[str] = "placeholder-run-mismatch"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("placeholders",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report the rows that neither a limit, nor tags, nor a wrong grid explains."""
        seen = placeholders_of(case)
        if reason := why_not(seen):
            yield insufficient(reason) if seen.streams else not_applicable(reason)
            return
        for kind, rows in kinds_of(wrong_rows(seen, "runs")).items():
            for stream in dict.fromkeys(row.stream for row in rows):
                yield self._mismatch(case, seen, kind, [row for row in rows if row.stream == stream])

    def _mismatch(
        self, case: Case, seen: PlaceholdersEvidence, kind: Kind, rows: Sequence[PlaceholderRow]
    ) -> Finding:
        stream = seen.streams[rows[0].stream]
        example = next((row for row in rows if row.row >= 0), rows[0])
        runs = [slot.length for slot in example.slots]
        features = [slot.expected for slot in example.slots]
        place = f"row {example.row}" if example.row >= 0 else "a row"
        return self.finding(
            f"{_said(kind, seen, rows)}: {place} of batch {example.batch} has runs {_list(runs)} of {named(stream)} for "
            f"{stream.media}s of {_list(features)} ({stream.unit}), in {counted(len(rows), 'row')} of {stream.rows}",
            advice=_ADVICE[kind].format(media=stream.media),
            level=sure(seen, rows, self.level),
            where=where_made(case),
            samples=samples_of(rows),
            kind=kind,
            media=stream.media,
            features=stream.features,
            placeholder=list(stream.placeholder),
            known_by=stream.known_by,
            unit=stream.unit,
            rows=len(rows),
            rows_seen=stream.rows,
            runs=runs,
            expected=features,
            at=[slot.at for slot in example.slots if slot.at >= 0],
            items=[list(slot.items) for slot in example.slots],
            batch=example.batch,
            row=example.row if example.row >= 0 else None,
        )


_ADVICE: dict[Kind, str] = {
    "order": "Put the {media}s into the batch in the order in which their placeholders stand, row by row.",
    "unexpanded": "Expand each placeholder by the features of its own {media}, not only the first of a row.",
    "missing": "Give each {media} a place in the text, or leave out its features.",
    "extra": "Put the {media} of each placeholder into the batch, or leave out the placeholder.",
    "length": "Make each run as long as the features of its {media}.",
}


def _said(kind: Kind, seen: PlaceholdersEvidence, rows: Sequence[PlaceholderRow]) -> str:
    media = seen.streams[rows[0].stream].media
    if kind == "order":
        total = sum(row.placeholders for row in rows)
        return f"{media}s stand in another order than their placeholders, though the totals agree ({total} and {total})"
    if kind == "unexpanded":
        several = sum(len(row.slots) > 1 for row in rows)
        right = [row for row in seen.rows if row.fits and row.stream == rows[0].stream and row.slots]
        alone = sum(len(row.slots) == 1 for row in right)
        if not several:
            return f"placeholders of {counted(len(rows), 'row')} were not expanded"
        return (
            f"placeholders were not expanded in {counted(several, 'row')} with several {media}s"
            f" ({counted(alone, 'row')} with one {'is' if alone == 1 else 'are'} right)"
        )
    if kind == "missing":
        return f"{media} features have no placeholders"
    if kind == "extra":
        return f"placeholders have no {media}"
    return "runs of placeholders are not as long as the features"


def _list(numbers: Sequence[int]) -> str:
    head = ", ".join(str(one) for one in numbers[:SHOWN])
    return f"[{head}, ...]" if len(numbers) > SHOWN else f"[{head}]"
