"""DL314 token-out-of-vocab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class TokenOutOfVocab(Check):
    """Token ids below 0, or beyond the vocabulary.

    ## Why it hurts
    The embedding has no such row: an index error on the CPU, a device-side assert without a place on a GPU.

    ## What to do
    Find where the id comes from: a tokenizer of another model, tokens that were added without resizing the
    embedding, or ignored labels that ended up in the ids.

    ## When it is wrong
    Negative placeholder ids that the model replaces by images: declare them with `--image-token-id`. An
    embedding larger than the tokenizer: declare it with `--vocab-size`.
    """

    rule: ClassVar[str] = "DL314"
    name: ClassVar[str] = "token-out-of-vocab"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the ids with the size of the vocabulary."""
        labels = labels_of(case)
        words = labels.vocabulary
        rows = [row for row in labels.rows if row.real]
        bad = [row for row in rows if row.beyond]
        if not bad:
            if words.size is None:
                yield not_applicable(
                    "the size of the vocabulary is not known; pass `--vocab-size` or `--tokenizer`"
                )
            return
        count, low, high = (
            sum(row.beyond for row in bad),
            min(row.low for row in bad),
            max(row.high for row in bad),
        )
        size = words.size if words.size is not None else high + 1
        negative = low < 0
        placeholder = negative and high < size and low != -100 and bool(case.paths_of("pixel_values"))
        ends = [str(low)] if negative else []
        ends += [str(high)] if high >= size else []
        spec = case.evidence.loader
        # A tokenizer may know fewer ids than the embedding has rows, but then by few.
        certain = negative or words.sources.get("size") == "declared" or high >= size + 1024
        yield self.finding(
            f"{counted(count, 'token id')} in {counted(len(bad), 'row')} of {len(rows)} lie outside the vocabulary"
            + (f" of {size} ({words.sources.get('size')})" if words.size is not None else "")
            + f": {' and '.join(ends) or low}"
            + ("; a placeholder for an image, or a fault" if placeholder else ""),
            advice="Declare it with `--image-token-id`, if it is a placeholder." if placeholder
            else "Use the tokenizer of the model, and resize the embedding to the tokens that were added.",
            level=Level.INFO if placeholder else sure(labels, bad, self.level if certain else Level.WARNING),
            where=spec.dataset_ref if spec else None,
            samples=samples_of(bad),
            fields=paths_of(labels, bad),
            tokens=count,
            rows=len(bad),
            lowest=low,
            highest=high,
            vocabulary=words.size,
        )  # fmt: skip
