"""DL317 placeholder-trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    causal_rows,
    excerpt,
    first_shown,
    labels_of,
    paths_of,
    samples_of,
    sure,
)
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PlaceholderTrained(Check):
    """Placeholders for images, sound or video are targets of the loss.

    ## Why it hurts
    The model learns to print placeholders; as there are hundreds of them for an image, they dominate the loss.

    ## What to do
    Set the labels of placeholder ids to the ignored value: `labels[labels == image_token_id] = -100`.

    ## When it is wrong
    Models that generate images as tokens. The ids come from `--image-token-id` or the tokenizer.
    """

    rule: ClassVar[str] = "DL317"
    name: ClassVar[str] = "placeholder-trained"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Count placeholders among the targets."""
        labels = labels_of(case)
        words = labels.vocabulary
        rows = [row for row in causal_rows(labels) if row.placeholders]
        if not rows:
            yield not_applicable("no placeholder of an image or sound was seen")
            return
        bad = [row for row in rows if row.placeholder_trained]
        if not bad:
            return
        count, most = sum(row.placeholder_trained for row in bad), max(row.placeholder_trained for row in bad)
        trained = sum(row.trained for row in bad)
        shown, spec = first_shown(labels, bad), case.evidence.loader
        yield self.finding(
            f"{counted(count, 'placeholder')} are targets in {counted(len(bad), 'row')} of {len(rows)}: up to {most} in "
            f"a row, {count} of {trained} targets (ids {', '.join(map(str, words.placeholders[:4]))}, "
            f"{words.sources.get('placeholders', 'values')})",
            advice="Set the labels of placeholder ids to the ignored value.",
            level=sure(labels, bad, self.level),
            where=spec.collate_ref if spec else None,
            samples=samples_of(bad),
            fields=paths_of(labels, bad, "labels"),
            placeholders=count,
            most_in_row=most,
            rows=len(bad),
            row=excerpt(labels, shown, shown.first, 2, 5),
        )
