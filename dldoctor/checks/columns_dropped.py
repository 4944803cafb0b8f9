"""DL117 columns-dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.phrases import listed
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ColumnsDropped(Check):
    """A trainer removes columns that the collate reads.

    ## Why it hurts
    The Hugging Face Trainer keeps only columns that are arguments of the model's `forward`. A collate
    that needs another one (the text to tokenise, a weight) fails with a KeyError, gets nothing at all,
    or goes on with its default.

    ## What to do
    Set `remove_unused_columns=False` in the training arguments.

    ## When it is wrong
    Where the collate looks for the column only to be ready for other data, and does well without.
    """

    rule = "DL117"
    name = "columns-dropped"
    level = Level.ERROR
    by = ("check-workers",)
    needs = ("loader", "columns")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the columns that the collate asked for in vain."""
        measured = case.evidence.columns
        assert measured is not None
        gone = [name for name in measured.read_by_collate if name in measured.in_data]
        gone = [name for name in gone if name not in measured.in_signature]
        if not gone:
            return
        kept = listed([f"`{name}`" for name in measured.in_data if name in measured.in_signature]) or "none"
        verb = "is" if len(gone) == 1 else "are"
        yield self.finding(
            f"the collate reads {listed([f'`{name}`' for name in gone])}, which {verb} in the data and removed by the"
            f" trainer, since the model's signature does not name {'it' if len(gone) == 1 else 'them'}; kept: {kept}",
            advice="Set `remove_unused_columns=False`.",
            where=measured.collate_ref,
            removed=gone,
            in_data=list(measured.in_data),
            in_signature=list(measured.in_signature),
            read_by_collate=list(measured.read_by_collate),
            collate=measured.collate,
        )
