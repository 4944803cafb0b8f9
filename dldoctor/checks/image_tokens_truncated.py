"""DL402 image-tokens-truncated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.placeholders import (
    named,
    placeholders_of,
    samples_of,
    sure,
    where_made,
    why_not,
    wrong_rows,
)  # fmt: skip
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ImageTokensTruncated(Check):
    """Truncation cut placeholders of an image.

    ## Why it hurts
    The text is cut at a number of tokens, the pixels are not: the model gets more features than places for
    them, and stops with "image features and image tokens do not match", hours into a run, at the one row.

    ## What to do
    Raise the limit to what the finding gives, make images smaller (fewer patches), or leave long samples out;
    never cut a row that holds placeholders without its image.

    ## When it is wrong
    A row counts as cut if its sample was longer, if it is as long as the limit, or if it is the longest of all
    and ends within a run of placeholders. The limit that is safe counts the tokens that were seen; text behind
    the cut may need more.
    """

    rule: ClassVar[str] = "DL402"
    name: ClassVar[str] = "image-tokens-truncated"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("placeholders",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report rows that were cut and lack placeholders."""
        seen = placeholders_of(case)
        if reason := why_not(seen):
            yield insufficient(reason) if seen.streams else not_applicable(reason)
            return
        rows = wrong_rows(seen, "truncated")
        if not rows:
            return
        worst = max(rows, key=lambda row: row.expected - row.placeholders)
        stream = seen.streams[worst.stream]
        limit = seen.limit if seen.limit is not None else worst.real
        source = f" ({seen.limit_from})" if seen.limit_from not in ("", "rows") else ""
        lost = sum(row.expected - row.placeholders for row in rows)
        need = (
            f"a limit of {seen.longest} keeps every {stream.media}"
            if seen.whole
            else f"it takes at least {seen.longest} tokens to keep every {stream.media}, and more for text behind the cut"
        )
        yield self.finding(
            f"{counted(len(rows), 'row')} of {stream.rows} {'was' if len(rows) == 1 else 'were'} cut at {limit} tokens{source} and lost {lost} placeholders: "
            f"row {worst.row} of batch {worst.batch} has {worst.placeholders} of {named(stream)} for "
            f"{worst.expected} features ({stream.unit}); {need}",
            advice=f"Raise the limit to {seen.longest} or more, or make the {stream.media}s smaller.",
            level=sure(seen, rows, self.level),
            where=where_made(case),
            samples=samples_of(rows),
            rows=len(rows),
            rows_seen=stream.rows,
            placeholders=worst.placeholders,
            expected=worst.expected,
            row_length=worst.real,
            limit=limit,
            limit_from=seen.limit_from,
            safe_limit=seen.longest,
            safe_limit_is_exact=seen.whole,
            lost=lost,
            runs=[slot.length for slot in worst.slots],
            features=[slot.expected for slot in worst.slots],
            batch=worst.batch,
            row=worst.row,
        )
